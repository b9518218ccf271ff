//! Random texts: nothing panics, and every text that can be read can be saved and read again.

use manyworlds::mjcf::{Files, Limits, Spec};
use proptest::prelude::*;

const MODELS: [&str; 3] = [
    include_str!("../../fuzz/seeds/model/everything.xml"),
    "<mujoco><default><default class='a'><geom size='1'/></default></default><worldbody><frame pos='1 2 3'><body childclass='a'>\
     <joint/><geom/><replicate count='3' sep='_'><site name='s'/></replicate></body></frame></worldbody>\
     <sensor><touch site='s'/></sensor></mujoco>",
    "<mujoco><include file='part.xml'/><asset><model name='m' file='part.xml'/></asset><worldbody>\
     <attach model='m' body='p' prefix='x'/><attach model='m' prefix='y'/></worldbody></mujoco>",
];

const PART: &str = "<mujoco><compiler angle='radian'/><worldbody><body name='p' euler='1 0 0'><joint name='j' range='0 1'/>\
                    <geom name='g' size='1'/></body></worldbody><actuator><position joint='j' kp='2'/></actuator></mujoco>";

/// Words that may replace a piece of text.
const WORDS: [&str; 40] = [
    "",
    " ",
    "0",
    "-1",
    "1e300",
    "-1e-320",
    "nan",
    "2147483648",
    "99999999999999999999",
    "\"",
    "<",
    ">",
    "/>",
    "</",
    "&amp;",
    "&",
    "é",
    "\u{0}",
    "\u{1f600}",
    "<geom/>",
    "<body>",
    "</body>",
    "<frame>",
    "<replicate count=\"2\">",
    "<include file=\"part.xml\"/>",
    "name=\"x\"",
    "class=\"a\"",
    "size=\"1 2 3\"",
    "pos=\"0 0 0\"",
    "<default>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?pi?>",
    "<plugin/>",
    "true",
    "free",
    "hinge",
    "world",
    "type=\"mesh\"",
];

#[derive(Clone, Debug)]
struct Change {
    at: prop::sample::Index,
    len: usize,
    word: usize,
    from: prop::sample::Index,
}

fn change() -> impl Strategy<Value = Change> {
    (
        any::<prop::sample::Index>(),
        0..30usize,
        0..WORDS.len() + 10,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(at, len, word, from)| Change {
            at,
            len,
            word,
            from,
        })
}

/// Replaces a piece of the text by a word, or by another piece of it.
fn mutate(text: &mut String, change: &Change) {
    let boundary = |text: &str, i: usize| {
        (i..=text.len())
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(text.len())
    };
    let at = boundary(text, change.at.index(text.len() + 1));
    let end = boundary(text, (at + change.len).min(text.len()));
    let word = match WORDS.get(change.word) {
        Some(word) => (*word).to_owned(),
        None => {
            let from = boundary(text, change.from.index(text.len() + 1));
            let to = boundary(text, (from + 3 * change.len).min(text.len()));
            text[from..to].to_owned()
        }
    };
    text.replace_range(at..end, &word);
}

fn try_model(text: &str, part: &str) {
    let files = Files::memory([("part.xml", part)]);
    let limits = Limits::default().elements(2000);
    match Spec::from_text(text, files.clone(), &limits) {
        Ok(spec) => {
            if let Ok(xml) = spec.to_mjcf() {
                match Spec::from_text(&xml, files, &limits) {
                    Ok(again) => assert_eq!(again, spec, "{text}\n{xml}"),
                    Err(e) => panic!("{text}\n{xml}\n{e}"),
                }
            }
        }
        Err(e) => assert!(!e.render().is_empty() && !e.to_string().is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_models(model in 0..MODELS.len(), changes in prop::collection::vec(change(), 1..6), in_part in any::<bool>()) {
        let (mut text, mut part) = (MODELS[model].to_owned(), PART.to_owned());
        for c in &changes {
            mutate(if in_part { &mut part } else { &mut text }, c);
        }
        try_model(&text, &part);
    }

    #[test]
    fn changed_values(model in 0..MODELS.len(), picks in prop::collection::vec((any::<prop::sample::Index>(), 0..WORDS.len()), 1..4)) {
        // only between quotes, so that most texts stay XML
        let text = MODELS[model];
        let quotes: Vec<usize> = text.match_indices(['"', '\'']).map(|(i, _)| i).collect();
        let mut pieces: Vec<(usize, usize, usize)> = picks
            .iter()
            .map(|(at, word)| {
                let k = at.index(quotes.len() / 2) * 2;
                (quotes[k] + 1, quotes[k + 1], *word)
            })
            .collect();
        pieces.sort_unstable();
        pieces.dedup_by_key(|p| p.0);
        let mut out = text.to_owned();
        for (start, end, word) in pieces.into_iter().rev() {
            out.replace_range(start..end, WORDS[word]);
        }
        try_model(&out, PART);
    }
}
