//! Plays every scenario: one test a file, named by its path (`streaming/flap-below-the-window`).
//!
//! A file is played twice, held against its `[expect]`, and its folded trace is compared with the reviewed one in
//! `snapshots/scenarios/`. What the search has found lies in `sims/regressions/`: it is played and judged, and has no
//! snapshot. Files that are not played by themselves are listed as ignored.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use retrylab_laws::report;
use retrylab_sim::{Divergence, Folder, Record, Report, Trace};
use retrylab_spec::{File, JitterChoice, Locations, Part, Timeline, parse};
use walkdir::WalkDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SIMS: &str = "sims";
const SNAPSHOTS: &str = "snapshots/scenarios";
const REGRESSIONS: &str = "regressions/";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let scenarios = match scenarios(&Path::new(ROOT).join(SIMS)) {
        Ok(scenarios) => scenarios,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials: Vec<Trial> = scenarios.into_iter().map(Scenario::into_trial).collect();
    trials.extend(about_this_test());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every scenario file below `folder`, in the order of names.
fn scenarios(folder: &Path) -> Result<Vec<Scenario>, String> {
    let mut scenarios = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            scenarios.push(Scenario::read(folder, &path)?);
        }
    }
    if scenarios.is_empty() { Err(format!("no scenario in {}", folder.display())) } else { Ok(scenarios) }
}

/// A file of the test room.
struct Scenario {
    /// The path below `sims/`, without the extension.
    name: String,
    text: String,
}

impl Scenario {
    fn read(folder: &Path, path: &Path) -> Result<Self, String> {
        let relative = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { name: parts.join("/"), text })
    }

    /// The path as it is pasted into a command.
    fn path(&self) -> String {
        format!("{SIMS}/{}.toml", self.name)
    }

    fn into_trial(self) -> Trial {
        let ignored = is_left_out(&self.path(), &self.text);
        Trial::test(self.name.clone(), move || self.test().map_err(Failed::from)).with_ignored_flag(ignored)
    }

    fn test(&self) -> Result<(), String> {
        let Some(played) = play(&self.path(), &self.text)? else { return Ok(()) };
        if !self.name.starts_with(REGRESSIONS) {
            self.compare(&played);
        }
        Ok(())
    }

    /// Stops the test if the trace is not the reviewed one.
    fn compare(&self, played: &Played) {
        let (folder, name) = self.name.rsplit_once('/').unwrap_or(("", &self.name));
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path([ROOT, SNAPSHOTS, folder].iter().collect::<PathBuf>());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_input_file(self.path());
        settings.set_description(played.why.clone());
        settings.bind(|| insta::assert_snapshot!(name, played.trace));
    }
}

/// What a run left for its reviewers.
struct Played {
    why: String,
    /// The seed, if the client draws, and the folded trace.
    trace: String,
}

/// Whether the file says itself that it is not played, or is of a policy that only its owner can play. What cannot be
/// read is not left out: it fails.
fn is_left_out(path: &str, text: &str) -> bool {
    parse(path, text).is_ok_and(|parsed| !matches!(parsed.file, File::Played(_)))
}

/// Plays the text of a file; nothing for a file that is not played. The error is what its author needs to read.
fn play(path: &str, text: &str) -> Result<Option<Played>, String> {
    let parsed = parse(path, text).map_err(|error| error.to_string())?;
    let File::Played(timeline) = parsed.file else { return Ok(None) };
    if timeline.expect.is_none() {
        return Err(format!("error: no expectations; add an `[expect]` table to {path}"));
    }
    // The environment's seed is for people at a command; a test is the same on every machine.
    let seed = timeline.seed.unwrap_or(0);
    let mut trace = Trace::default();
    let mut folder = Folder::new();
    let mut observe = |record: &Record| {
        if record.is_plain() {
            folder.push(*record, &mut |line| trace.push(&line));
        }
    };
    let report = report(&timeline, seed, &mut observe).map_err(|error| format!("error: {error}"))?;
    folder.finish(&mut |line| trace.push(&line));
    if let Some(failure) = failure(&report, &parsed.locations) {
        return Err(format!("{failure}\n\nreplay: cargo run --release -- run {path}"));
    }
    Ok(Some(Played { why: timeline.why.clone(), trace: page(&timeline, seed, &trace) }))
}

fn page(timeline: &Timeline, seed: u64, trace: &Trace) -> String {
    match timeline.client.jitter {
        JitterChoice::Own | JitterChoice::Coarse => format!("seed {seed}\n\n{trace}"),
        JitterChoice::None => trace.to_string(),
    }
}

/// Each expectation that does not hold, with its line of the file.
fn failure(report: &Report, locations: &Locations) -> Option<String> {
    if report.holds() {
        return None;
    }
    let findings = report.findings.iter().map(|finding| {
        let label = format!("got {}", finding.got);
        locations.show(&finding.requirement.key(), &finding.to_string(), &label)
    });
    let diverged = report.divergence.map(|Divergence { index, first, second }| {
        format!("error: two runs differ at record {index}\nfirst:  {first:?}\nsecond: {second:?}")
    });
    Some(findings.chain(diverged).collect::<Vec<_>>().join("\n\n"))
}

/// What is said above about failing, shown on made-up files.
fn about_this_test() -> Vec<Trial> {
    let check = |name: &str, check: fn()| {
        Trial::test(format!("this-test/{name}"), move || {
            check();
            Ok(())
        })
    };
    vec![
        check("a-folder-without-scenarios-fails", || {
            let folder = tempfile::tempdir().expect("a temporary folder");
            std::fs::write(folder.path().join("notes.md"), "none here").expect("a file in it");
            assert!(scenarios(folder.path()).is_err_and(|problem| problem.starts_with("no scenario in ")));
        }),
        check("a-file-that-cannot-be-read-fails", || {
            let problem = complaint("why = ");
            assert!(problem.contains("sims/made-up.toml:1:"), "{problem}");
        }),
        check("a-file-that-expects-nothing-fails", || {
            assert_eq!(complaint(MADE_UP), "error: no expectations; add an `[expect]` table to sims/made-up.toml");
        }),
        check("one-nanosecond-is-noticed-and-shown", || {
            let problem = complaint(&format!("{MADE_UP}[expect]\ndelays = [\n    \"1s\",\n    \"2.000000001s\",\n]\n"));
            let lines: Vec<&str> = problem.lines().collect();
            assert!(lines[0].contains("expected 2.000000001s, got 2s"), "{problem}");
            assert!(lines[1].ends_with("sims/made-up.toml:9:5"), "{problem}");
            assert_eq!(lines.last(), Some(&"replay: cargo run --release -- run sims/made-up.toml"), "{problem}");
        }),
        check("a-wait-too-few-or-too-many-is-noticed", || {
            for delays in ["\"1s\"", "\"1s\", \"2s\", \"4s\""] {
                let problem = complaint(&format!("{MADE_UP}[expect]\ndelays = [{delays}]\n"));
                assert!(problem.contains("sims/made-up.toml:7:"), "{problem}");
            }
        }),
        check("files-that-are-not-played-are-left-out", || {
            let waits = format!("why = \"Later.\"\nwaits_for = {:?}\n", Part::Fleet.name());
            let outside = "why = \"Never.\"\noutside = \"no timeline shows it\"\n";
            let external = MADE_UP.replace("\"streaming\"", "\"external\", name = \"ours\", as = \"streaming\"");
            for text in [&waits, outside, &external] {
                assert!(is_left_out("sims/made-up.toml", text), "{text}");
                assert!(play("sims/made-up.toml", text).is_ok_and(|played| played.is_none()), "{text}");
            }
            assert!(!is_left_out("sims/made-up.toml", MADE_UP));
            assert!(!is_left_out("sims/made-up.toml", "why = "));
        }),
    ]
}

/// Two failures, after one second and two.
const MADE_UP: &str = "why = \"Made up.\"
client = { kind = \"streaming\", jitter = \"none\" }
[[timeline]]
repeat = 2
play = [{ status = 503 }]
";

/// What is said about the text of a file that has to fail.
fn complaint(text: &str) -> String {
    play("sims/made-up.toml", text).err().expect("a complaint")
}
