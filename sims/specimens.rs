//! Plays the files that name specimens with those specimens: none of them may hold, and with its own client each does.
//! And counts the bug corpus: every report has its file.
//!
//! One test a file and specimen, named by both (`bugs/overflow/b010-shift-to-zero/shift-wraps-to-zero`). Where each first
//! differs is reviewed in `snapshots/specimens/`: a specimen has to be caught for what it is there to show.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use retrylab_laws::{SPECIMENS, Specimen, report, reportable};
use retrylab_scenario::{File, Part, Timeline, parse};
use retrylab_sim::{Unmet, build, examine_policy};
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SNAPSHOTS: &str = "snapshots/specimens";
const CORPUS: &str = "bugs/";

/// The numbers of the reports that the corpus is made from.
const REPORTS: [u16; 67] = [
    1, 3, 4, 6, 7, 10, 12, 13, 14, 16, 17, 20, 21, 22, 25, 27, 30, 31, 32, 33, 34, 37, 39, 40, 41, 44, 47, 48, 49, 52,
    55, 56, 57, 59, 60, 62, 63, 64, 66, 67, 68, 69, 70, 71, 74, 75, 77, 79, 82, 83, 86, 88, 90, 91, 94, 95, 97, 98, 99,
    100, 101, 104, 105, 107, 108, 110, 113,
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let scenarios = match scenarios(&Path::new(ROOT).join("sims")) {
        Ok(scenarios) => scenarios,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials: Vec<Trial> = scenarios.iter().flat_map(Scenario::trials).collect();
    trials.push(check("every-specimen-is-caught", uncaught(&scenarios)));
    trials.push(check("every-report-has-its-file", uncounted(&scenarios)));
    trials.push(check("the-corpus-is-sorted", sorted(&scenarios)));
    let differences: Vec<_> = scenarios.iter().flat_map(Scenario::differences).collect();
    trials.push(Trial::test("bugs-show-where-they-are", move || {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path([ROOT, SNAPSHOTS].iter().collect::<PathBuf>());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description("Where a file first differs when a specimen plays it.");
        settings.bind(|| insta::assert_snapshot!("first-differences", differences.join("\n")));
        Ok(())
    }));
    trials.extend(about_this_test());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A file of the test room.
struct Scenario {
    /// The path below `sims/`, without the extension.
    name: String,
    file: File,
}

fn scenarios(folder: &Path) -> Result<Vec<Scenario>, String> {
    let mut scenarios = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let relative = path.strip_prefix(folder).unwrap_or(&path).with_extension("");
            let name = relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            let file = parse(&name, &text).map_err(|error| error.to_string())?.file;
            scenarios.push(Scenario { name, file });
        }
    }
    Ok(scenarios)
}

impl Scenario {
    fn trials(&self) -> Vec<Trial> {
        let File::Played(timeline) = &self.file else { return Vec::new() };
        let trial = |specimen: &String| {
            let (timeline, specimen) = (timeline.clone(), specimen.clone());
            let name = format!("{}/{specimen}", self.name);
            Trial::test(name, move || catches(&timeline, &specimen).map(drop).map_err(Failed::from))
        };
        timeline.catches.iter().map(trial).collect()
    }

    /// For each specimen that it catches: the file, the name, and the first difference.
    fn differences(&self) -> Vec<String> {
        let File::Played(timeline) = &self.file else { return Vec::new() };
        let difference = |specimen: &String| {
            let first = catches(timeline, specimen).map(|unmet| unmet[0].to_string());
            format!("{}, {specimen}:\n  {}", self.name, first.unwrap_or_else(|problem| problem))
        };
        timeline.catches.iter().map(difference).collect()
    }

    /// The number of the report, for a file of the corpus.
    fn number(&self) -> Option<u16> {
        let file = self.name.strip_prefix(CORPUS)?.split('/').nth(1)?;
        file.strip_prefix('b')?.split('-').next()?.parse().ok()
    }
}

/// What of the file does not hold with the specimen in the place of its client. The error: why that says nothing.
fn catches(timeline: &Timeline, name: &str) -> Result<Vec<Unmet>, String> {
    reportable(timeline).map_err(|error| error.to_string())?;
    let specimen = Specimen::find(name).ok_or_else(|| format!("there is no specimen {name}"))?;
    let seed = timeline.seed.unwrap_or(0);
    let own = report(timeline, seed, |_| {}).map_err(|error| error.to_string())?;
    if !own.holds() {
        return Err(format!("the file does not hold with its own client: {:#?}", own.unmet));
    }
    let kind = &timeline.client.kind;
    specimen.build(kind).ok_or_else(|| format!("{name} cannot be built from the file's client"))?;
    // The warning is that of the real client, so that a specimen is caught by what it does and not by what it leaves out.
    let warning = build(kind).ok().and_then(|(_, warning)| warning);
    let unmet = examine_policy(timeline, || (specimen.build(kind).expect("built above"), warning), seed, |_| {}).unmet;
    // Without one of these, the specimen would be caught for being unable to say where it stands.
    let differs = |unmet: &Unmet| ["expect.delays", "expect.waits"].iter().any(|key| unmet.key.starts_with(key));
    if unmet.iter().any(differs) { Ok(unmet) } else { Err(format!("{name} waits as it should: {unmet:#?}")) }
}

/// Specimens that no file names.
fn uncaught(scenarios: &[Scenario]) -> Vec<String> {
    let named = |specimen: &&Specimen| {
        scenarios.iter().any(|scenario| match &scenario.file {
            File::Played(timeline) => timeline.catches.iter().any(|name| name == specimen.name),
            _ => false,
        })
    };
    let uncaught = SPECIMENS.iter().filter(|specimen| !named(specimen));
    uncaught.map(|specimen| format!("no file catches {} ({})", specimen.name, specimen.statement)).collect()
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
        (
            "played with a specimen",
            58,
            count(|file| matches!(file, File::Played(played) if !played.catches.is_empty())),
        ),
        ("waiting for the source", 0, count(|file| matches!(file, File::WaitsFor { part: Part::Source, .. }))),
        ("waiting for the fleet", 2, count(|file| matches!(file, File::WaitsFor { part: Part::Fleet, .. }))),
        ("outside", 3, count(|file| matches!(file, File::Outside { .. }))),
    ];
    let wrong = counted.into_iter().filter(|(_, expected, got)| expected != got);
    wrong.map(|(sort, expected, got)| format!("{got} files are {sort}, not {expected}")).collect()
}

fn check(name: &str, problems: Vec<String>) -> Trial {
    Trial::test(name, move || if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) })
}

/// What is said above about failing, shown on made-up files.
fn about_this_test() -> Vec<Trial> {
    let complaint = |client: &str, catches: &str, delays: &str, expected: &'static str| {
        let text = format!(
            "why = \"Made up.\"\ncatches = [\"{catches}\"]\nclient = {{ {client} }}\n[[timeline]]\nrepeat = 2\n\
             play = [{{ status = 503 }}]\n[expect]\ndelays = {delays}\n"
        );
        Trial::test(format!("this-test/{expected}").replace(' ', "-"), move || {
            let File::Played(timeline) = parse("made-up.toml", &text).map_err(|error| error.to_string())?.file else {
                return Err("not played".into());
            };
            let found = complaint_about(&timeline);
            if found.contains(expected) { Ok(()) } else { Err(format!("{found:?} does not say {expected:?}").into()) }
        })
    };
    let call = "kind = \"call\", jitter = \"none\"";
    let half = "[\"500ms\", \"1s\"]";
    vec![
        complaint(call, "shift-wraps-to-zero", half, "waits as it should"),
        complaint(call, "shift-wraps-to-zero", "[\"1s\", \"1s\"]", "does not hold with its own client"),
        complaint(call, "shift-wraps-to-none", half, "the closest is"),
        complaint(call, "reset-on-connect", half, "a client that is described so cannot be"),
        check("this-test/a-specimen-that-nobody-names-is-noticed", expect_len(&uncaught(&[]), SPECIMENS.len())),
        check("this-test/reports-without-a-file-are-noticed", expect_len(&uncounted(&[]), REPORTS.len())),
        // All that is counted but those that wait for the source, of which there are none.
        check("this-test/a-corpus-of-nothing-is-noticed", expect_len(&sorted(&[]), 4)),
    ]
}

/// What is wrong with the first specimen that a file names.
fn complaint_about(timeline: &Timeline) -> String {
    catches(timeline, &timeline.catches[0]).err().unwrap_or_default()
}

fn expect_len(problems: &[String], length: usize) -> Vec<String> {
    if problems.len() == length { Vec::new() } else { vec![format!("{} problems, not {length}", problems.len())] }
}
