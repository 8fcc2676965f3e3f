//! The five minutes of the README are the files beside this one, and need this crate alone. Its other programs are compiled
//! as documentation of this crate.

const README: &str = include_str!("../../../README.md");

/// The blocks of code in this language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    README.split("```").skip(1).step_by(2).filter_map(move |block| block.strip_prefix(language)?.strip_prefix('\n'))
}

#[test]
fn the_code_of_the_five_minutes_is_the_code_that_is_tested() {
    let code = include_str!("retry.rs");
    assert!(blocks("rust").any(|block| block == code), "README.md does not show tests/retry.rs as it is:\n{code}");
}

#[test]
fn the_scenario_of_the_five_minutes_is_the_one_that_is_played() {
    let scenario = include_str!("outage.toml");
    assert!(blocks("toml").any(|block| block == scenario), "README.md does not show tests/outage.toml:\n{scenario}");
}

#[test]
fn a_program_of_the_readme_depends_on_this_crate_alone() {
    let manifest = blocks("toml").find(|block| block.starts_with("[dependencies]")).expect("the first step");
    let mut names: Vec<&str> = manifest.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    names.dedup();
    assert_eq!(names, ["retrylab"]);
    let crates =
        |code: &'static str| code.lines().filter_map(|line| line.trim().strip_prefix("use ")?.split("::").next());
    for name in blocks("rust").chain(blocks("rust,no_run")).flat_map(crates) {
        assert!(["std", "retrylab"].contains(&name), "a program of README.md uses `{name}`");
    }
}
