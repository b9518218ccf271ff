//! A kernel and its twin say the same in the same words, in every function that both have.
//!
//! Words are compared without marks of code, MuJoCo's name in brackets, the full stop and the size of the first letter. One of the
//! two may go on where the other ends. What is said otherwise on purpose is listed with its reason, in both wordings.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use manyworlds::gpu::library::{LIB, NARROW};
use manyworlds::stages::STAGES;

/// Why comments of some functions differ.
struct Divergence {
    reason: &'static str,
    functions: &'static [Function],
}

/// What only the kernel or only the twin says of a function: `file function`.
struct Function {
    name: &'static str,
    kernel: &'static [&'static str],
    twin: &'static [&'static str],
}

/// All that differs.
const DIVERGENCES: &[Divergence] = &[
    Divergence {
        reason: "the lanes of a team share the work and meet at barriers",
        functions: &[
            Function {
                name: "collision collision",
                kernel: &[
                    "one lane after the other",
                    "a search of convex solids ended before it was sure",
                ],
                twin: &[],
            },
            Function {
                name: "compare_fwd_inv compare_fwd_inv",
                kernel: &["every lane has read it"],
                twin: &[],
            },
            Function {
                name: "make_constraint make_constraint",
                kernel: &["jacobians of connects, welds and contacts, dof by dof"],
                twin: &[],
            },
            Function {
                name: "passive passive",
                kernel: &["what a dof carries has no lower number than its own body"],
                twin: &[],
            },
            Function {
                name: "passive tendon_spring_damper",
                kernel: &["every lane finds the forces and adds them to its own dofs"],
                twin: &[],
            },
            Function {
                name: "sensor_pos find_range",
                kernel: &[
                    "what one ray of a rangefinder meets: that along the z axis of a site, or that of a pixel of a camera",
                    "what is asked for, in the order of the bits",
                ],
                twin: &[
                    "what the rays of a rangefinder meet, in one lane: one along the z axis of a site, or one for each pixel of a camera",
                ],
            },
            Function {
                name: "tendon tendon",
                kernel: &[
                    "points of the paths before this turn's",
                    "lengths and rows first; where the points go is known when all are counted",
                ],
                twin: &[],
            },
            Function {
                name: "lib/force apply_ft",
                kernel: &["what dof i feels of a force and a torque on a body at a point"],
                twin: &["adds to qfrc the force and torque on a body at a point"],
            },
            Function {
                name: "lib/implicit_rows soften",
                kernel: &[
                    "evaluates every row at the end of the timestep; in_metric: by how much less it moves than by inertia",
                ],
                twin: &[
                    "evaluates the first num rows at the end of the timestep. share tells by how much less a row moves than its diagonal of A says",
                ],
            },
            Function {
                name: "lib/metric build_metric",
                kernel: &[
                    "the metric and its factor in the places of M and its own, and rows in it",
                ],
                twin: &[
                    "the metric and its factor in the places of M and its own, and the first num rows of worlds side by side in it",
                ],
            },
            Function {
                name: "lib/jac add_jac",
                kernel: &[
                    "adds to a sparse row, entries adr to adr + num of which colind says whose they are, what each dof does to a point of a body along dir, and to its turning about axis: the row of the Jacobian of that motion. Dofs that the row does not hold are passed over",
                    "the dof's turn is over if the row has nothing above it",
                ],
                twin: &[],
            },
            Function {
                name: "lib/primal by_island",
                kernel: &[
                    "mj_fwdConstraint: starts; the islands can be solved one after the other",
                ],
                twin: &[
                    "mj_fwdConstraint: starts, and has every island solved; solve returns the number of iterations",
                ],
            },
            Function {
                name: "lib/primal start",
                kernel: &["dofs that no row moves are not the solver's"],
                twin: &["of two infinite costs none is cheaper"],
            },
            Function {
                name: "lib/restart begin_anew",
                kernel: &[
                    "a world becomes what the twin leaves of one that was reset and made its forward dynamics. That is the same for every world of a model: it was made once, and its words lie behind those of the model",
                    "a world with numbers of its own begins where those say; the forces of this step are those of the model's numbers",
                ],
                twin: &["forward dynamics of a world that was reset, from which the step goes on"],
            },
            Function {
                name: "lib/warning tell",
                kernel: &["sets an overflow bit (OVERFLOW_*); every lane must say the same"],
                twin: &["sets an overflow bit (OVERFLOW_*) in the lanes of a mask"],
            },
            Function {
                name: "lib/warning warn",
                kernel: &["counts a warning once for the team; every lane must say the same"],
                twin: &["counts a warning in the lanes of a mask"],
            },
            Function {
                name: "narrow/convex convex",
                kernel: &[],
                twin: &[
                    "two geoms of any convex types; false if the search ended before it was sure",
                ],
            },
        ],
    },
    Divergence {
        reason: "an f32 tells less, so the kernel goes about it in another way or ends earlier",
        functions: &[
            Function {
                name: "euler euler",
                kernel: &[
                    "model_damped: is there damping of joints to be integrated implicitly",
                    "the sum of the forces is M qacc, and so it is made: the force of a stiff contact is the difference of two large numbers times a large one, of which an f32 keeps little, while qacc is good to its last bits",
                    "a solver that ran out of iterations left M qacc elsewhere: there the sum counts",
                ],
                twin: &[],
            },
            Function {
                name: "implicit implicit",
                kernel: &[
                    "the sum of the forces is M qacc, and so it is made unless the solver ran out of iterations, as in euler.wgsl",
                ],
                twin: &[],
            },
            Function {
                name: "solve_cg conjugate_gradients",
                kernel: &["or when an f32 tells no more of them"],
                twin: &[],
            },
            Function {
                name: "solve_newton newton",
                kernel: &[
                    "or when an f32 tells no more of them",
                    "done when the next step would gain little, or nothing but what rounding lost in the last",
                ],
                twin: &["hessian, its factor, and the direction"],
            },
            Function {
                name: "lib/cone path_eval",
                kernel: &[
                    "cost, less that of the start, and its derivatives at a step (PrimalEval); the sum of the sizes of the slope's terms",
                ],
                twin: &[
                    "adds cost, less that of the start, and its derivatives at p.alpha (PrimalEval): in the bottom zone, where they are quadratic, to sum",
                ],
            },
            Function {
                name: "lib/dual friction_forces",
                kernel: &["what an f32 can tell of two squares"],
                twin: &[],
            },
            Function {
                name: "lib/primal line_search",
                kernel: &[
                    "the best step along the search direction, and what it gains (PrimalSearch). One evaluation for all worlds of the workgroup at a time; a world's phase says what it is for:",
                    "the start; Newton's step from there",
                    "the slope at the step before tells the side",
                    "the minimum lies between p1 and p2",
                    "the best of those whose slope is zero",
                    "it no longer narrows: the machine's accuracy is reached",
                    "out of evaluations: the better end, if it is lower",
                ],
                twin: &[
                    "the best step along the search direction in the lanes that are live, and what it gains (PrimalSearch)",
                    "the other rows: friction losses, one-sided ones, elliptic contacts",
                ],
            },
            Function {
                name: "narrow/simplex on_segment",
                kernel: &[],
                twin: &["along the axis of the longest shadow"],
            },
            Function {
                name: "narrow/simplex origin_on_plane",
                kernel: &[
                    "the origin on the plane of three points (xyz); w is 0 if they are on a line. The two shortest edges tell the plane best",
                ],
                twin: &[
                    "the origin on the plane of three points; nothing if they are on a line",
                    "the normal from one pair of edges, or another where that is too short",
                ],
            },
        ],
    },
    Divergence {
        reason: "WGSL has vectors and numbers where the twin has tuples, options, slices, masks or closures",
        functions: &[
            Function {
                name: "fwd_acceleration fwd_acceleration",
                kernel: &["the table has the force first"],
                twin: &[],
            },
            Function {
                name: "rne_post rne_post",
                kernel: &["the table has the force first"],
                twin: &[],
            },
            Function {
                name: "lib/actuator muscle_scale",
                kernel: &[
                    "largest force (x), and length of the muscle at which it is largest (y); prm: the first four of its parameters",
                ],
                twin: &["largest force, and length of the muscle at which it is largest"],
            },
            Function {
                name: "lib/dcmotor voltage",
                kernel: &[
                    "voltage at the terminals (x): of the controller, which makes up for back-EMF, and the raw one; the first input (y); and whether the controller has its way (z: 1 or 0)",
                    "their bits are in this order: position, velocity, feedforward, voltage",
                ],
                twin: &[],
            },
            Function {
                name: "lib/dual cholesky",
                kernel: &["a = L L'; the last entry of its first row says whether it is regular"],
                twin: &["a = L L' in place; false if it is singular"],
            },
            Function {
                name: "lib/integrate advance",
                kernel: &[
                    "advances activation, velocity, position and time by one timestep and keeps the acceleration for the next solve; positions move with vel, which may be the new qvel",
                ],
                twin: &[
                    "advances activation, velocity, position and time by one timestep and keeps the acceleration for the next solve; positions move with qvel if given, else with the new velocity",
                ],
            },
            Function {
                name: "lib/math normalize3",
                kernel: &[
                    "a unit vector (xyz) and the length it had (w); the x axis if it was too short",
                ],
                twin: &["a unit vector and the length it had; the x axis if it was too short"],
            },
            Function {
                name: "lib/math quat2mat",
                kernel: &["columns"],
                twin: &[],
            },
            Function {
                name: "lib/primal row_force",
                kernel: &["equality", "friction loss"],
                twin: &[],
            },
            Function {
                name: "lib/sensor of_limit",
                kernel: &["the first row of a limit; -1: none"],
                twin: &[
                    "what value says of the first row of a limit, in each lane; zero where there is none",
                ],
            },
            Function {
                name: "lib/servo pid",
                kernel: &["their bits are in this order"],
                twin: &[],
            },
            Function {
                name: "lib/servo pid_rate",
                kernel: &[
                    "rates of a PID controller's setpoint (x) and integral (y); each is a state only if the controller has it",
                ],
                twin: &[
                    "rates of a PID controller's setpoint and integral; each is a state only if the controller has it",
                ],
            },
            Function {
                name: "lib/sparse factor_i",
                kernel: &[
                    "turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below MINVAL becomes MINVAL. Returns whether that happened",
                ],
                twin: &[
                    "turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below MINVAL becomes MINVAL. Returns where that happened",
                ],
            },
            Function {
                name: "lib/sparse factor_lu",
                kernel: &[
                    "factors an unsymmetric matrix in place, all of it or the rows of free and rigid bodies only: A = U L, with ones on the diagonal of U, without fill-in, since the leaves go first. A pivot below MINVAL becomes MINVAL; returns whether that happened",
                ],
                twin: &[
                    "factors an unsymmetric matrix in place, all of it or the rows of free and rigid bodies only: A = U L, with ones on the diagonal of U, without fill-in, since the leaves go first. A pivot below MINVAL becomes MINVAL; returns where that happened",
                ],
            },
            Function {
                name: "lib/sparse m_address",
                kernel: &[
                    "where M(i, j) is in its rows; -1 if it is not there: a simple dof is coupled to no other",
                ],
                twin: &[
                    "where M(i, j) is in its rows; none if it is not there: a simple dof is coupled to no other",
                ],
            },
            Function {
                name: "lib/sparse mul_m",
                kernel: &[],
                twin: &["the row, and the column that is its mirror image"],
            },
            Function {
                name: "lib/spatial inert_com",
                kernel: &["rows of mat, and of mat · diag(inertia)"],
                twin: &["row i of mat · diag(inertia) · matᵀ, column j"],
            },
            Function {
                name: "lib/touch contact_force_at",
                kernel: &[
                    "torque and force of a contact in its frame, from its rows; it acts on the second geom",
                ],
                twin: &[
                    "force, then torque, of a contact in its frame, from its rows; it acts on the second geom",
                ],
            },
            Function {
                name: "lib/touch met",
                kernel: &[
                    "1 for a contact that a sensor looks for, -1 for one that it sees with its sides exchanged, else 0",
                ],
                twin: &[
                    "a contact that the sensor looks for, and whether it sees it with its sides exchanged",
                ],
            },
            Function {
                name: "lib/wrap plane",
                kernel: &[
                    "normal of the plane of two points and the centre; x is the direction of the first",
                ],
                twin: &["two axes of the plane of two points and the centre"],
            },
        ],
    },
    Divergence {
        reason: "the same is cut into functions, kept or walked through in another way",
        functions: &[
            Function {
                name: "make_constraint contact_jacobian",
                kernel: &[],
                twin: &["in the frame of the contact: normal, tangents, spin, roll"],
            },
            Function {
                name: "solve_pgs extrapolate",
                kernel: &[
                    "adds a part of the last change to the forces, as far as they can go; keeps what they were (Jaref) and are (Jv)",
                ],
                twin: &[
                    "adds a part of the last change to the forces, as far as they can go; keeps what they were and are",
                    "residuals have gone on without bounds",
                ],
            },
            Function {
                name: "solve_pgs relax",
                kernel: &[
                    "sets a row or contact to its best force, what the others do being given; change of the cost. A row of -1: nothing",
                    "every lane has read what it needs",
                ],
                twin: &["sets a contact to its best forces; change of the cost"],
            },
            Function {
                name: "solve_pgs start_forces",
                kernel: &[
                    "begins with the forces of the last acceleration, unless none are better",
                    "a of what is set together, and the cost of the row's force",
                ],
                twin: &[
                    "begins with the forces of the last acceleration, which are set, unless none are better",
                ],
            },
            Function {
                name: "lib/ray ray_ellipsoid",
                kernel: &["in lengths of the semiaxes it is a unit sphere"],
                twin: &[],
            },
            Function {
                name: "lib/ray ray_hfield",
                kernel: &[
                    "one after the other by one text: the box below, and that of the surface",
                ],
                twin: &[],
            },
            Function {
                name: "lib/touch net",
                kernel: &["the point, then forces about it"],
                twin: &[],
            },
            Function {
                name: "narrow/support mesh_support",
                kernel: &[
                    "no neighbor left: on from the best, if it is another one",
                    "the two to begin at",
                ],
                twin: &[],
            },
        ],
    },
];

/// A comment of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    function: String,
    words: String,
}

// what is compared of a comment
fn plain(words: &str) -> String {
    let mut words = words.to_owned();
    while let Some(start) = words.find(" (`mj") {
        let end = words[start..]
            .find(')')
            .map_or(words.len(), |k| start + k + 1);
        words.replace_range(start..end, "");
    }
    let words = words.replace("[`", "").replace("`]", "").replace('`', "");
    let words = words.trim_end_matches('.');
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

// the name of the function that begins in a line; that of a stage is `mj_stage` in a kernel
fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let line = line.strip_prefix("pub(super) ").unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let name = line.strip_prefix("fn ")?;
    let name = name.strip_prefix("mj_").unwrap_or(name);
    Some(&name[..name.find(|c: char| !c.is_alphanumeric() && c != '_')?])
}

// functions of a text, and the first paragraphs of the comments above and inside them
fn read(text: &str) -> (BTreeSet<String>, Vec<Said>) {
    let (mut names, mut out) = (BTreeSet::new(), Vec::new());
    let mut inside: Option<(String, String)> = None;
    let mut comment: Vec<&str> = Vec::new();
    for line in text.lines() {
        let code = line.trim();
        if let Some(words) = code.strip_prefix("//") {
            if !words.starts_with('!') {
                comment.push(words.trim_start_matches('/').trim());
            }
            continue;
        }
        if inside.is_none() && code.starts_with(['#', '@']) {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let begins = function(code).filter(|_| inside.is_none() && indent <= 4);
        if let Some(name) = begins {
            names.insert(name.to_owned());
            inside = Some((name.to_owned(), " ".repeat(indent) + "}"));
        }
        let paragraph: Vec<&str> = comment
            .drain(..)
            .take_while(|words| !words.is_empty())
            .collect();
        if let Some((function, _)) = inside.as_ref().filter(|_| !paragraph.is_empty()) {
            let (function, words) = (function.clone(), plain(&paragraph.join(" ")));
            out.push(Said { function, words });
        }
        let ended = inside.as_ref().is_some_and(|(_, end)| line == end);
        if ended || begins.is_some() && line.ends_with('}') {
            inside = None;
        }
    }
    (names, out)
}

// one says the other's words, and may go on
fn same(a: &str, b: &str) -> bool {
    let goes_on = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| {
            [". ", "; ", ": ", ", ", " ("]
                .iter()
                .any(|mark| rest.starts_with(mark))
        })
    };
    a == b || goes_on(a, b) || goes_on(b, a)
}

fn file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

// the twin with the files of its own folder
fn twin(path: &str) -> String {
    let mut text = file(&format!("{path}.rs"));
    let parts = std::fs::read_dir(path)
        .ok()
        .filter(|_| !path.ends_with("/collision"));
    let mut parts: Vec<_> = parts
        .into_iter()
        .flatten()
        .map(|part| part.unwrap().path())
        .collect();
    parts.sort();
    for part in parts {
        text += "\n\n";
        text += &file(part.to_str().unwrap());
    }
    text
}

// every kernel with its name and the path of its twin
fn pairs() -> Vec<(String, &'static str, String)> {
    let stages = STAGES
        .iter()
        .map(|s| (s.name.to_owned(), s.shader, format!("src/cpu/{}", s.name)));
    let lib = LIB
        .iter()
        .map(|(name, text)| (format!("lib/{name}"), *text, format!("src/cpu/lib/{name}")));
    let narrow = NARROW.iter().map(|(name, text)| {
        (
            format!("narrow/{name}"),
            *text,
            format!("src/cpu/collision/{name}"),
        )
    });
    stages.chain(lib).chain(narrow).collect()
}

// words of the functions that both have which one has and the other lacks
fn lacking(have: &[Said], other: &[Said], both: &BTreeSet<&String>) -> Vec<Said> {
    let of_both = have.iter().filter(|said| both.contains(&said.function));
    let known = |said: &&Said| other.iter().any(|other| same(&said.words, &other.words));
    of_both.filter(|said| !known(said)).cloned().collect()
}

// all words that are not shared: `file function`, whose they are, the words
fn found() -> BTreeSet<(String, &'static str, String)> {
    let mut out = BTreeSet::new();
    for (name, kernel, path) in pairs() {
        // the title of a file is compared in tests/house.rs
        let head = kernel
            .lines()
            .take_while(|line| line.starts_with("//"))
            .count();
        let body: Vec<&str> = kernel.lines().skip(head).collect();
        let (kernels, kernel) = read(&body.join("\n"));
        let (twins, mut twin) = read(&twin(&path));
        let title = twin.iter().position(|said| said.function == name);
        if let Some(title) = title {
            twin.remove(title);
        }
        let both: BTreeSet<&String> = kernels.intersection(&twins).collect();
        for (who, have, other) in [("kernel", &kernel, &twin), ("twin", &twin, &kernel)] {
            for said in lacking(have, other, &both) {
                out.insert((format!("{name} {}", said.function), who, said.words));
            }
        }
    }
    out
}

#[test]
fn what_a_kernel_and_its_twin_say_differs_for_a_reason() {
    let mut listed = BTreeSet::new();
    for Divergence { reason, functions } in DIVERGENCES {
        assert!(!reason.is_empty());
        for f in *functions {
            let rows = [("kernel", f.kernel), ("twin", f.twin)];
            for (who, words) in rows
                .into_iter()
                .flat_map(|(who, all)| all.iter().map(move |words| (who, words)))
            {
                listed.insert((f.name.to_owned(), who, (*words).to_owned()));
            }
        }
    }
    let found = found();
    let mut faults = String::new();
    for (function, who, words) in found.difference(&listed) {
        let _ = writeln!(faults, "only the {who} of {function} says: {words}");
    }
    for (function, who, words) in listed.difference(&found) {
        let _ = writeln!(
            faults,
            "listed, but not there or said by both ({who} of {function}): {words}"
        );
    }
    assert!(faults.is_empty(), "\n{faults}");
}
