//! Plays the files that name faults with those faults: none of them may hold, and with its own client each does. And counts
//! the bug corpus: every report has its file.

use std::path::Path;

use retrylab_faults::{FAULTS, KnownFault, uncatchable};
use retrylab_laws::{report, unreportable};
use retrylab_sim::{Finding, build, examine_policy};
use retrylab_spec::{File, Part, PolicySpec, Timeline, parse};
use walkdir::WalkDir;

const CORPUS: &str = "bugs/";

/// The numbers of the reports that the corpus is made from.
const REPORTS: [u16; 67] = [
    1, 3, 4, 6, 7, 10, 12, 13, 14, 16, 17, 20, 21, 22, 25, 27, 30, 31, 32, 33, 34, 37, 39, 40, 41, 44, 47, 48, 49, 52,
    55, 56, 57, 59, 60, 62, 63, 64, 66, 67, 68, 69, 70, 71, 74, 75, 77, 79, 82, 83, 86, 88, 90, 91, 94, 95, 97, 98, 99,
    100, 101, 104, 105, 107, 108, 110, 113,
];

/// That a file catches a fault, and how it shows.
pub(crate) struct Caught {
    pub(crate) fault: String,
    pub(crate) file: String,
    pub(crate) client: PolicySpec,
    /// The first difference.
    pub(crate) first: String,
}

/// What every file catches that says so.
pub(crate) fn caught() -> Vec<Caught> {
    scenarios().iter().flat_map(Scenario::caught).collect()
}

#[test]
fn every_file_catches_the_faults_that_it_names() {
    let problems: Vec<String> = scenarios().iter().flat_map(Scenario::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_reported_fault_is_caught_by_a_file() {
    assert_eq!(uncaught(&scenarios()), [""; 0]);
    // Without files, each is missed.
    assert_eq!(uncaught(&[]).len(), FAULTS.iter().filter(|fault| fault.is_reported()).count());
}

#[test]
fn every_report_has_its_file() {
    assert_eq!(uncounted(&scenarios()), [""; 0]);
    assert_eq!(uncounted(&[]).len(), REPORTS.len());
}

#[test]
fn the_corpus_is_sorted() {
    assert_eq!(sorted(&scenarios()), [""; 0]);
    // All that is counted but those that wait for the source, of which there are none.
    assert_eq!(sorted(&[]).len(), 4);
}

/// What is said above about failing, shown on made-up files.
#[test]
fn a_file_that_catches_nothing_gets_the_reason() {
    let complaint = |client: &str, catches: &str, delays: &str| {
        let text = format!(
            "why = \"Made up.\"\ncatches = [\"{catches}\"]\nclient = {{ {client} }}\n[[timeline]]\nrepeat = 2\n\
             play = [{{ status = 503 }}]\n[expect]\ndelays = {delays}\n"
        );
        let Ok(File::Played(timeline)) = parse("made-up.toml", &text).map(|parsed| parsed.file) else {
            panic!("not played: {text}")
        };
        catches_fault(&timeline, &timeline.catches[0]).err().unwrap_or_default()
    };
    let call = "kind = \"call\", jitter = \"none\"";
    let half = "[\"500ms\", \"1s\"]";
    for (catches, delays, expected) in [
        ("shift-wraps-to-zero", half, "waits as it should"),
        ("shift-wraps-to-zero", "[\"1s\", \"1s\"]", "does not hold with its own client"),
        ("shift-wraps-to-none", half, "did you mean"),
        ("half-a-window-is-enough", half, "this client cannot have the fault"),
    ] {
        let complaint = complaint(call, catches, delays);
        assert!(complaint.contains(expected), "{complaint:?} does not say {expected:?}");
    }
}

/// A file of the test room.
struct Scenario {
    /// The path below `sims/`, without the extension.
    name: String,
    file: File,
}

fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(super::ROOT).join("sims");
    let mut scenarios = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let path = entry.expect("the folder can be listed").into_path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let relative = path.strip_prefix(&folder).unwrap_or(&path).with_extension("");
            let name = relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            let file = parse(&name, &text).expect("a timeline").file;
            scenarios.push(Scenario { name, file });
        }
    }
    scenarios
}

impl Scenario {
    fn caught(&self) -> Vec<Caught> {
        let File::Played(timeline) = &self.file else { return Vec::new() };
        let caught = |fault: &String| {
            let unmet = catches_fault(timeline, fault).ok()?;
            let (fault, file, client) = (fault.clone(), self.name.clone(), timeline.client.kind.clone());
            Some(Caught { fault, file, client, first: unmet[0].to_string() })
        };
        timeline.catches.iter().filter_map(caught).collect()
    }

    /// Why a fault that it names is not caught.
    fn problems(&self) -> Vec<String> {
        let File::Played(timeline) = &self.file else { return Vec::new() };
        let problem = |fault: &String| catches_fault(timeline, fault).err();
        timeline.catches.iter().filter_map(problem).map(|problem| format!("{}: {problem}", self.name)).collect()
    }

    /// The number of the report, for a file of the corpus.
    fn number(&self) -> Option<u16> {
        let file = self.name.strip_prefix(CORPUS)?.split('/').nth(1)?;
        file.strip_prefix('b')?.split('-').next()?.parse().ok()
    }
}

/// What of the file does not hold with the fault in the place of its client. The error: why that says nothing.
fn catches_fault(timeline: &Timeline, name: &str) -> Result<Vec<Finding>, String> {
    if let Some(error) = uncatchable(timeline).first() {
        return Err(error.to_string());
    }
    if let Some(error) = unreportable(timeline).first() {
        return Err(error.to_string());
    }
    let fault = KnownFault::find(name).ok_or_else(|| format!("there is no fault {name}"))?;
    let seed = timeline.seed.unwrap_or(0);
    let own = report(timeline, seed, |_| {}).map_err(|error| error.to_string())?;
    if !own.holds() {
        return Err(format!("the file does not hold with its own client: {:#?}", own.findings));
    }
    let kind = &timeline.client.kind;
    fault.build(kind).ok_or_else(|| format!("{name} cannot be built from the file's client"))?;
    // The warning is that of the real client, so that a fault is caught by what it does and not by what it leaves out.
    let warning = build(kind).ok().and_then(|(_, warning)| warning);
    let unmet = examine_policy(timeline, || (fault.build(kind).expect("built above"), warning), seed, |_| {}).findings;
    // Without one of these, the fault would be caught for being unable to say where it stands.
    let differs = |finding: &Finding| {
        ["expect.delays", "expect.waits"].iter().any(|key| finding.requirement.key().starts_with(key))
    };
    if unmet.iter().any(differs) { Ok(unmet) } else { Err(format!("{name} waits as it should: {unmet:#?}")) }
}

/// Reported faults that no file names.
fn uncaught(scenarios: &[Scenario]) -> Vec<String> {
    let is_named = |fault: &&KnownFault| {
        scenarios.iter().any(|scenario| match &scenario.file {
            File::Played(timeline) => timeline.catches.iter().any(|name| name == fault.name),
            _ => false,
        })
    };
    let uncaught = FAULTS.iter().filter(|fault| fault.is_reported() && !is_named(fault));
    uncaught.map(|fault| format!("no file catches {} ({})", fault.name, fault.statement)).collect()
}

/// Reports without a file, with two, or without a source; files of no report.
fn uncounted(scenarios: &[Scenario]) -> Vec<String> {
    let corpus = || scenarios.iter().filter(|scenario| scenario.name.starts_with(CORPUS));
    let mut problems = Vec::new();
    for report in REPORTS {
        let files = corpus().filter(|scenario| scenario.number() == Some(report)).count();
        if files != 1 {
            problems.push(format!("report {report} has {files} files"));
        }
    }
    for scenario in corpus() {
        if !scenario.number().is_some_and(|number| REPORTS.contains(&number)) {
            problems.push(format!("{} is of no report", scenario.name));
        }
        let cite = match &scenario.file {
            File::Played(timeline) | File::External(timeline) => &timeline.cite,
            File::WaitsFor { cite, .. } | File::Outside { cite, .. } => cite,
        };
        if cite.is_empty() {
            problems.push(format!("{} names no source", scenario.name));
        }
    }
    problems
}

/// How many files of the corpus there are of each sort, if that is not as counted when they were sorted.
fn sorted(scenarios: &[Scenario]) -> Vec<String> {
    let corpus: Vec<_> = scenarios.iter().filter(|scenario| scenario.name.starts_with(CORPUS)).collect();
    let count = |is: fn(&File) -> bool| corpus.iter().filter(|scenario| is(&scenario.file)).count();
    let counted = [
        ("played", 62, count(|file| matches!(file, File::Played(_)))),
        ("played with a fault", 58, count(|file| matches!(file, File::Played(played) if !played.catches.is_empty()))),
        ("waiting for the source", 0, count(|file| matches!(file, File::WaitsFor { part: Part::Source, .. }))),
        ("waiting for the fleet", 2, count(|file| matches!(file, File::WaitsFor { part: Part::Fleet, .. }))),
        ("outside", 3, count(|file| matches!(file, File::Outside { .. }))),
    ];
    let wrong = counted.into_iter().filter(|(_, expected, got)| expected != got);
    wrong.map(|(sort, expected, got)| format!("{got} files are {sort}, not {expected}")).collect()
}
