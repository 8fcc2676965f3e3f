//! The five minutes of the README are the files beside this one.

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

/// Whoever follows it needs what this crate's tests need.
#[test]
fn the_dependencies_of_the_five_minutes_are_those_of_the_test() {
    let manifest = blocks("toml").find(|block| block.starts_with("[dev-dependencies]")).expect("the first step");
    let names: Vec<&str> = manifest.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    let used = include_str!("retry.rs").lines().filter_map(|line| line.strip_prefix("use ")?.split("::").next());
    let mut used: Vec<String> = used.filter(|name| *name != "std").map(|name| name.replace('_', "-")).collect();
    used.dedup();
    assert_eq!(names, used);
}
