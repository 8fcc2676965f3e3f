//! Crates depend on each other only as the table of ARCHITECTURE.md says, dev-dependencies included.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package, TargetKind};

use crate::markdown::{quoted, table};
use crate::tree::{Tree, assert_tidy};

/// The package of the tests and benches: it may use every crate, for development only.
const TEST_ROOM: &str = "retrylab-tests";

/// Where snapshot tests may live, so that every snapshot lands in one folder that one command reviews.
const MAY_SNAPSHOT: [&str; 3] = [TEST_ROOM, "retrylab-testkit", "retrylab-cli"];

/// Folder of a crate → folders of the crates that it may depend on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Reads the table whose first two columns are `crate` and `may depend on`.
fn arrows_of(document: &str) -> Arrows {
    let names = |cell| quoted(cell).map(str::to_owned);
    let rows = table(document, "crate", "may depend on").into_iter();
    rows.map(|cells| (names(cells[0]).collect(), names(cells[1]).collect())).collect()
}

fn metadata(tree: &Tree) -> Metadata {
    MetadataCommand::new()
        .cargo_path(env!("CARGO"))
        .manifest_path(tree.root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata")
}

/// The name that the package in this folder of `crates/` must have.
fn package_name(folder: &str) -> String {
    if folder == "retrylab" { folder.to_owned() } else { format!("retrylab-{folder}") }
}

/// The folder below `crates/` that a package lives in; `None` for the root package.
fn folder(package: &Package) -> Option<&str> {
    let folder = package.manifest_path.parent()?;
    (folder.parent()?.file_name()? == "crates").then(|| folder.file_name())?
}

/// The folder of the crate here that is depended on; `None` for a crate from elsewhere.
fn target_folder(dependency: &Dependency) -> Option<&str> {
    dependency.path.as_ref()?.file_name()
}

fn arrow_problems(tree: &Tree) -> Vec<String> {
    let Some(document) = tree.text("ARCHITECTURE.md") else {
        return vec!["ARCHITECTURE.md: there is none".to_owned()];
    };
    let allowed = arrows_of(&document);
    let metadata = metadata(tree);
    let mut problems = Vec::new();
    let mut present = BTreeSet::new();
    for package in &metadata.packages {
        let Some(folder) = folder(package) else { continue };
        present.insert(folder);
        let Some(allowed) = allowed.get(folder) else {
            problems.push(format!("ARCHITECTURE.md: the table of crates has no row `{folder}`"));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(target) = target_folder(dependency) else { continue };
            // A crate's tests may switch its own features on.
            let is_own = dependency.kind == DependencyKind::Development && dependency.name == package.name.as_str();
            if !is_own && !allowed.contains(target) {
                problems.push(format!(
                    "crates/{folder}/Cargo.toml: {} dependency on `{target}`, which the table in ARCHITECTURE.md does not allow",
                    dependency.kind
                ));
            }
        }
    }
    for row in allowed.keys().filter(|row| !present.contains(row.as_str())) {
        problems.push(format!("ARCHITECTURE.md: the table of crates has a row `{row}`, but there is no crates/{row}"));
    }
    for (row, targets) in &allowed {
        for target in targets.iter().filter(|target| allowed.get(*target).is_none_or(|back| back.contains(row))) {
            problems
                .push(format!("ARCHITECTURE.md: `{row}` may depend on `{target}`, which points back or is no crate"));
        }
    }
    problems
}

fn package_problems(tree: &Tree) -> Vec<String> {
    let metadata = metadata(tree);
    let mut problems = Vec::new();
    for package in &metadata.packages {
        let name = package.name.as_str();
        let path =
            folder(package).map_or_else(|| "Cargo.toml".to_owned(), |folder| format!("crates/{folder}/Cargo.toml"));
        let expected = folder(package).map_or_else(|| TEST_ROOM.to_owned(), package_name);
        if name != expected {
            problems.push(format!("{path}: the package is called `{name}`, by its folder it should be `{expected}`"));
        }
        let here = package.dependencies.iter();
        if let Some(dependency) = here.clone().find(|dependency| dependency.name == "insta")
            && !MAY_SNAPSHOT.contains(&name)
        {
            problems.push(format!(
                "{path}: depends on `{}`; snapshot tests live in {}",
                dependency.name,
                MAY_SNAPSHOT.join(", ")
            ));
        }
        for dependency in here.filter(|dependency| dependency.name == TEST_ROOM) {
            problems.push(format!("{path}: depends on `{}`, which is not a library", dependency.name));
        }
    }
    let binaries: Vec<&str> = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets)
        .filter(|target| target.kind.contains(&TargetKind::Bin))
        .map(|target| target.name.as_str())
        .collect();
    if binaries.len() > 1 {
        problems.push(format!(
            "the members build the commands {}; with more than one, plain `cargo run` does not know which",
            binaries.join(", ")
        ));
    }
    problems
}

#[test]
fn crates_depend_on_each_other_only_along_the_arrows() {
    assert_tidy(&arrow_problems(&Tree::checkout()));
}

#[test]
fn packages_are_named_after_their_folders_and_there_is_one_command() {
    assert_tidy(&package_problems(&Tree::checkout()));
}

/// Three crates, of which `upper` may use `lower`, and these dependency lines in their manifests.
fn workspace(lower: &str, upper: &str) -> Tree {
    let manifest = |name: &str, dependencies: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{dependencies}\n")
    };
    let root = manifest(TEST_ROOM, "[workspace]\nmembers = [\"crates/*\"]\n[lib]\npath = \"crates/lower/src/lib.rs\"");
    Tree::made_up(&[
        ("Cargo.toml", &root),
        ("crates/lower/Cargo.toml", &manifest("retrylab-lower", lower)),
        ("crates/lower/src/lib.rs", ""),
        ("crates/upper/Cargo.toml", &manifest("retrylab-upper", upper)),
        ("crates/upper/src/lib.rs", ""),
        (
            "ARCHITECTURE.md",
            "| crate | may depend on |\n|---|---|\n| `lower` | nothing |\n| `upper` | `lower` (types only) |\n\nMore.\n",
        ),
    ])
}

const ON_LOWER: &str = "[dependencies]\nretrylab-lower = { path = \"../lower\" }";

#[test]
fn a_dependency_along_the_arrows_is_fine() {
    assert_tidy(&arrow_problems(&workspace("", ON_LOWER)));
    assert_tidy(&package_problems(&workspace("", ON_LOWER)));
}

#[test]
fn a_dev_dependency_against_the_arrows_is_noticed() {
    let against = "[dev-dependencies]\nretrylab-upper = { path = \"../upper\" }";
    let problems = arrow_problems(&workspace(against, ""));
    assert_eq!(
        problems,
        ["crates/lower/Cargo.toml: dev dependency on `upper`, which the table in ARCHITECTURE.md does not allow"]
    );
}

#[test]
fn a_crate_without_a_row_and_a_row_without_a_crate_are_noticed() {
    let tree = workspace("", ON_LOWER);
    std::fs::rename(tree.root().join("crates/upper"), tree.root().join("crates/over")).expect("a rename");
    assert_eq!(
        arrow_problems(&tree),
        [
            "ARCHITECTURE.md: the table of crates has no row `over`",
            "ARCHITECTURE.md: the table of crates has a row `upper`, but there is no crates/upper"
        ]
    );
    assert_eq!(
        package_problems(&tree),
        ["crates/over/Cargo.toml: the package is called `retrylab-upper`, by its folder it should be `retrylab-over`"]
    );
}

#[test]
fn snapshots_in_a_crate_that_may_not_have_them_and_a_second_command_are_noticed() {
    let tree = workspace("[dev-dependencies]\ninsta = \"1\"", "");
    for folder in ["lower", "upper"] {
        std::fs::write(tree.root().join("crates").join(folder).join("src/main.rs"), "").expect("a file");
    }
    assert_eq!(
        package_problems(&tree),
        [
            "crates/lower/Cargo.toml: depends on `insta`; snapshot tests live in retrylab-tests, retrylab-testkit, retrylab-cli",
            "the members build the commands retrylab-lower, retrylab-upper; with more than one, plain `cargo run` does not know which"
        ]
    );
}
