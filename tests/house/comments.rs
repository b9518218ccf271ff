//! A kernel and its twin have the same comments, in every function that both have.
//!
//! Comments are compared without backticks, MuJoCo's name in brackets, the full stop and the case of the first letter. One of the
//! two may continue after the end of the other. Intended differences are listed with their reason, in both wordings.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use manyworlds::gpu::library::{LIB, NARROW};
use manyworlds::stages::STAGES;

/// Functions whose comments differ, and the reason.
struct Divergence {
    reason: &'static str,
    functions: &'static [Function],
}

/// Comments that only the kernel or only the twin of a function has; the name is `file function`.
struct Function {
    name: &'static str,
    kernel: &'static [&'static str],
    twin: &'static [&'static str],
}

/// All intended differences.
const DIVERGENCES: &[Divergence] = &[
    Divergence {
        reason: "the lanes of a team share the work and meet at barriers",
        functions: &[
            Function {
                name: "lib/primal take_step",
                kernel: &["the lane of a contact read the residuals of all its rows"],
                twin: &[],
            },
            Function {
                name: "lib/primal update_constraint",
                kernel: &["its lane alone reads and writes the states of a contact"],
                twin: &[],
            },
            Function {
                name: "sleep tie",
                kernel: &[
                    "puts the island of its first tree to sleep if all of its trees are ready; true if they are. A lane writes only the trees of islands that begin with its own",
                ],
                twin: &[
                    "puts the trees of an island, which ascend, to sleep if all are ready; true if they are",
                ],
            },
            Function {
                name: "lib/penalty stiffen_contacts",
                kernel: &["none of a world that has no such contact"],
                twin: &[],
            },
            Function {
                name: "lib/coupling factor_metric",
                kernel: &[
                    "a lane has the entries of a dof and earlier ones: a column of the factor",
                ],
                twin: &[],
            },
            Function {
                name: "collision collision",
                kernel: &[
                    "the pairs before the next block, then the block",
                    "a search of convex solids stopped before it converged",
                ],
                twin: &[],
            },
            Function {
                name: "compare_fwd_inv compare_fwd_inv",
                kernel: &["every lane has read fwdinv_stage: the sums are barriers"],
                twin: &[],
            },
            Function {
                name: "make_constraint make_constraint",
                kernel: &["jacobians of connects, welds and contacts, dof by dof"],
                twin: &[],
            },
            Function {
                name: "passive compensate_gravity",
                kernel: &["bodies that a dof moves have at least the number of its own body"],
                twin: &[],
            },
            Function {
                name: "passive tendon_spring_damper",
                kernel: &["every lane computes the forces and adds them to its own dofs"],
                twin: &[],
            },
            Function {
                name: "sensor_pos find_range",
                kernel: &[
                    "intersection of one ray of a rangefinder: the ray along the z axis of a site, or of a pixel of a camera",
                    "the data that the sensor asks for, in the order of the bits",
                ],
                twin: &[
                    "intersections of the rays of a rangefinder: one ray along the z axis of a site, or one for each pixel of a camera",
                ],
            },
            Function {
                name: "tendon tendon",
                kernel: &[
                    "number of path points from earlier iterations",
                    "lengths and rows first; the addresses of the points are known when all are counted",
                ],
                twin: &[],
            },
            Function {
                name: "lib/force apply_ft",
                kernel: &[
                    "generalized force on dof i of a force and a torque on a body at a point",
                ],
                twin: &["adds to qfrc the force and torque on a body at a point"],
            },
            Function {
                name: "lib/implicit_rows soften",
                kernel: &[
                    "evaluates every row at the end of the timestep; in_metric: by how much less it moves than by inertia",
                ],
                twin: &[
                    "evaluates the first num rows at the end of the timestep. share is the factor by which a row's real response is smaller than its diagonal of A",
                ],
            },
            Function {
                name: "lib/metric build_metric",
                kernel: &[
                    "the metric and its factor in the places of M and its own, and rows in it",
                ],
                twin: &[
                    "replaces M and its factor by the metric and its factor, and adapts the first num rows of worlds side by side",
                ],
            },
            Function {
                name: "lib/jac add_jac",
                kernel: &[
                    "adds to a sparse row the Jacobian of a point of a body along dir, and of the body's rotation about axis. The row has the entries adr to adr + num with the dofs in colind; dofs without an entry are skipped",
                    "on to the next dof if the row has no entry above it",
                ],
                twin: &[],
            },
            Function {
                name: "lib/primal by_island",
                kernel: &[
                    "mj_fwdConstraint: finds the start; the islands can then be solved one after the other",
                ],
                twin: &[
                    "mj_fwdConstraint: finds the start and solves every island; solve returns the number of iterations",
                ],
            },
            Function {
                name: "lib/primal start",
                kernel: &["the solver leaves dofs without rows alone"],
                twin: &["of two infinite costs neither is lower"],
            },
            Function {
                name: "lib/restart begin_anew",
                kernel: &[
                    "copies the state that the twin has after a reset and forward dynamics. It is the same for every world of a model: it was computed once, and is stored behind the model's words",
                    "a world with its own model values resets to their initial state; the forces of this step are those of the model's values",
                ],
                twin: &["forward dynamics of a reset world, from which the step goes on"],
            },
            Function {
                name: "lib/warning tell",
                kernel: &["sets an overflow bit (OVERFLOW_*); every lane must pass the same value"],
                twin: &["sets an overflow bit (OVERFLOW_*) in the lanes of a mask"],
            },
            Function {
                name: "lib/warning warn",
                kernel: &[
                    "counts a warning once for the team; every lane must pass the same value",
                ],
                twin: &["counts a warning in the lanes of a mask"],
            },
            Function {
                name: "narrow/convex convex",
                kernel: &[],
                twin: &[
                    "contacts of two geoms of any convex types; false if the search stopped before it converged. plane is the unit normal of the plane that separated them last, in the frame of the first, and becomes that of a plane that separates them now; zero if none is known",
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
                    "model_damped: true if joint damping has to be integrated implicitly",
                    "the sum of the forces is computed as M qacc: the force of a stiff contact is the difference of two large numbers times a large one, of which f32 keeps little, while qacc is accurate to its last bits",
                    "after a solver that ran out of iterations M qacc differs: there the sum is used",
                ],
                twin: &[],
            },
            Function {
                name: "implicit implicit",
                kernel: &[
                    "the sum of the forces is computed as M qacc, unless the solver ran out of iterations, as in euler.wgsl",
                ],
                twin: &[],
            },
            Function {
                name: "solve_cg conjugate_gradients",
                kernel: &["or when f32 cannot resolve them"],
                twin: &[],
            },
            Function {
                name: "solve_newton newton",
                kernel: &[
                    "or when f32 cannot resolve them",
                    "done when the next step would gain little",
                ],
                twin: &["hessian, its factor, and the direction"],
            },
            Function {
                name: "lib/cone path_eval",
                kernel: &[
                    "cost, minus the cost at the start, and its derivatives at a step (PrimalEval); sum of the absolute values of the slope's terms",
                    "cost differences are formed from the coefficients, so that they do not cancel",
                ],
                twin: &[
                    "adds the derivatives of the cost at p.alpha (PrimalEval): in the bottom zone, where it is quadratic, to sum",
                ],
            },
            Function {
                name: "lib/dual friction_forces",
                kernel: &["resolution of f32 for the difference of two squares"],
                twin: &[],
            },
            Function {
                name: "lib/primal update_gradient",
                kernel: &[
                    "a constraint force that is lost in rounding is the one that balances the acceleration",
                ],
                twin: &[],
            },
            Function {
                name: "lib/primal line_search",
                kernel: &[
                    "the best step along the search direction, and the decrease of the cost (PrimalSearch). Each iteration evaluates one point for all worlds of the workgroup; a world's phase tells the purpose of its point:",
                    "the start; Newton's step from there",
                    "the slope at the start decides the side",
                    "the minimum lies between p1 and p2",
                    "the best of the candidates with slope zero",
                    "the bracket no longer narrows: machine precision is reached",
                    "out of evaluations: the better end, if it is lower than the start",
                ],
                twin: &[
                    "the best step along the search direction in the live lanes, and the decrease of the cost (PrimalSearch)",
                    "the other rows: friction losses, one-sided rows, elliptic contacts",
                ],
            },
            Function {
                name: "narrow/simplex on_segment",
                kernel: &[],
                twin: &["along the coordinate axis with the longest projection"],
            },
            Function {
                name: "narrow/simplex origin_on_plane",
                kernel: &[
                    "projection of the origin on the plane of three points (xyz); w is 0 if they are on a line. The two shortest edges give the most accurate plane",
                ],
                twin: &[
                    "projection of the origin on the plane of three points; none if they are on a line",
                    "the normal from one pair of edges, or from another if that is too short",
                ],
            },
        ],
    },
    Divergence {
        reason: "WGSL has vectors and numbers where the twin has tuples, options, slices, masks or closures",
        functions: &[
            Function {
                name: "lib/coupling coupling",
                kernel: &["address of the coupling of two dofs; -1: there is none"],
                twin: &["address of the coupling of two dofs, if there is one"],
            },
            Function {
                name: "lib/coupling add_couplings",
                kernel: &["adds K x to a product with the metric, for one dof"],
                twin: &[
                    "adds K x to a product with the metric, for these dofs; nothing in a model without couplings",
                    "the row, and the mirrored column",
                ],
            },
            Function {
                name: "lib/coupling solve_dofs",
                kernel: &[
                    "x = inv(metric) grad for the dofs of an island, with which no other dof is coupled; their product",
                ],
                twin: &[
                    "x = inv(metric) b for some dofs of which no other dof is coupled with any; the other numbers of x become zero",
                ],
            },
            Function {
                name: "lib/penalty side_mass",
                kernel: &[
                    "mass of a side of a contact: the least of an element's vertices, or that of the nodes which carry it in the proportion of vertices; 0 where nothing counts",
                ],
                twin: &[
                    "mass of a side of a contact: the least of an element's vertices, or that of the nodes which carry it in the proportion of vertices; infinite where nothing counts",
                ],
            },
            Function {
                name: "lib/soft_metric add_form",
                kernel: &[
                    "adds a quadratic form in up to three coordinates, whose slopes over up to four vertices are given",
                ],
                twin: &[
                    "adds a quadratic form in coordinates whose slopes over vertices are given",
                ],
            },
            Function {
                name: "lib/soft_metric add_hinges",
                kernel: &[
                    "adds the stiffness between two hinges of joints that turn against each other, and that of each by itself; -1: missing. What holds a hinge is in M's place, like a spring of its joint",
                ],
                twin: &[
                    "adds the stiffness between two hinges of joints that turn against each other, and that of each by itself; one may be missing. What holds a hinge is in M's place, like a spring of its joint",
                ],
            },
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
                    "largest force (x), and length of the muscle at which it is largest (y); prm: the first four parameters of the muscle",
                ],
                twin: &["largest force, and length of the muscle at which it is largest"],
            },
            Function {
                name: "lib/dcmotor voltage",
                kernel: &[
                    "voltage at the terminals (x): the controller's, which compensates back-EMF, plus the raw input; the first input (y); and whether the controller's voltage is within its limit (z: 1 or 0)",
                    "the order of their bits: position, velocity, feedforward, voltage",
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
                    "the unit vector (xyz) and the length (w) of a vector; the x axis if it is too short",
                ],
                twin: &[
                    "the unit vector and the length of a vector; the x axis if it is too short",
                ],
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
                    "value of the first row of a limit, in each lane; zero where there is none",
                ],
            },
            Function {
                name: "lib/servo pid",
                kernel: &["the order of their bits"],
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
                name: "lib/sparse factor_lu",
                kernel: &[
                    "factors an unsymmetric matrix in place, all rows or those of free rigid bodies only: A = U L, with ones on the diagonal of U, without fill-in, since the leaves go first. A pivot below MINVAL becomes MINVAL; returns whether any did",
                ],
                twin: &[
                    "factors an unsymmetric matrix in place, all rows or those of free rigid bodies only: A = U L, with ones on the diagonal of U, without fill-in, since the leaves go first. A pivot below MINVAL becomes MINVAL; returns where any did",
                ],
            },
            Function {
                name: "lib/sparse m_address",
                kernel: &[
                    "address of M(i, j) in its row; -1 if there is none: a simple dof is coupled to no other",
                ],
                twin: &[
                    "address of M(i, j) in its row; none if there is none: a simple dof is coupled to no other",
                ],
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
                    "1 for a contact that matches the sensor, -1 if its sides are exchanged, else 0",
                ],
                twin: &[
                    "the contact of a matching slot, if this lane has it and the sensor's site holds it",
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
                name: "lib/sparse factor_i",
                kernel: &[
                    "turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below MINVAL becomes MINVAL. Returns whether any did",
                    "this row becomes L; no lane reads it before the next team_sync()",
                ],
                twin: &[
                    "turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below MINVAL becomes MINVAL. Rows of trees that are still stay as they are. Returns where any did",
                    "dofs in a line share what they read of the rows of their ancestors",
                ],
            },
            Function {
                name: "lib/lever lever_motion",
                kernel: &[
                    "motion of the point of a contact by one dof, turning and along the axes, where a side is an edge of a twisting rod",
                ],
                twin: &["adds the motion of the point on one side by each of these dofs"],
            },
            Function {
                name: "make_constraint contact_jacobian",
                kernel: &[],
                twin: &["in the frame of the contact: normal, tangents, spin, roll"],
            },
            Function {
                name: "solve_pgs extrapolate",
                kernel: &[
                    "extrapolates the forces by a multiple of the last change, within their bounds; keeps the forces before (Jaref) and after (Jv)",
                ],
                twin: &[
                    "extrapolates the forces by a multiple of the last change, within their bounds; keeps the forces before and after",
                    "correct the residuals, which were extrapolated without bounds",
                ],
            },
            Function {
                name: "solve_pgs relax",
                kernel: &[
                    "sets a row or contact to its best force at the given forces of the others; returns the change of the cost. A row of -1: none",
                    "every lane has read its inputs",
                ],
                twin: &["sets a contact to its best forces; returns the change of the cost"],
            },
            Function {
                name: "solve_pgs start_forces",
                kernel: &[
                    "starts with the forces of the last acceleration, unless zero forces cost less",
                    "block of A for the rows updated together, and the cost of the row's force",
                ],
                twin: &[
                    "starts with the forces of the last acceleration, which must be set already, unless zero forces cost less",
                ],
            },
            Function {
                name: "lib/ray ray_ellipsoid",
                kernel: &["in units of the semiaxes it is a unit sphere"],
                twin: &[],
            },
            Function {
                name: "lib/ray ray_hfield",
                kernel: &[
                    "the same code for both boxes, one after the other: the box below, and the bounding box of the surface",
                ],
                twin: &[],
            },
            Function {
                name: "lib/touch net",
                kernel: &["the center of the forces, then the forces about it"],
                twin: &[],
            },
            Function {
                name: "narrow/support mesh_support",
                kernel: &[
                    "no neighbor left: on from the best vertex, if it is a new one",
                    "the two start vertices",
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

// the compared form of a comment
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

// the name of the function that a line declares; `mj_stage` in a kernel is the stage's function
fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let line = line.strip_prefix("pub(super) ").unwrap_or(line);
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let name = line.strip_prefix("fn ")?;
    let name = name.strip_prefix("mj_").unwrap_or(name);
    Some(&name[..name.find(|c: char| !c.is_alphanumeric() && c != '_')?])
}

// the functions of a text, and the first paragraph of each comment above and inside them
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

// true if the comments are equal or one continues the other
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

// the text of the twin, with the files of its folder
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

// the name, the text and the path of the twin of every kernel
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

// comments of one text that the other lacks, in functions that both have
fn lacking(have: &[Said], other: &[Said], both: &BTreeSet<&String>) -> Vec<Said> {
    let of_both = have.iter().filter(|said| both.contains(&said.function));
    let known = |said: &&Said| other.iter().any(|other| same(&said.words, &other.words));
    of_both.filter(|said| !known(said)).cloned().collect()
}

// all comments that are not shared: `file function`, `kernel` or `twin`, the comment
fn found() -> BTreeSet<(String, &'static str, String)> {
    let mut out = BTreeSet::new();
    for (name, kernel, path) in pairs() {
        // the title of a file is compared in tests/house/tables.rs
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
