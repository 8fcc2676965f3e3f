//! Budgets that pay for more or for less than configured.

use retrylab_spec::{BudgetSpec, Ratio};

use super::clients;
use super::formula::with_spec;
use super::{Category, KnownFault, Making, reported};

pub(super) const RATIO_TRUNCATED: KnownFault = reported(
    Category::Budget,
    "ratio-truncated",
    "tower-rs/tower #857",
    "The ratio is kept as its truncated inverse, the requests per retry, so that 0.34 pays for a half.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            for budget in &mut spec.budgets {
                if let BudgetSpec::Ratio { ratio, .. } = budget {
                    let requests = ratio.denominator.checked_div(ratio.numerator).unwrap_or(u32::MAX);
                    *ratio = Ratio { numerator: 1, denominator: requests.max(1) };
                }
            }
        })
    }),
);

pub(super) const BUCKET_NEVER_REFILLED: KnownFault = reported(
    Category::Budget,
    "bucket-never-refilled",
    "aws/aws-sdk-go-v2 #3550",
    "Successes refill nothing, so that an empty bucket stays empty.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            for budget in &mut spec.budgets {
                if let BudgetSpec::Tokens { refill, .. } = budget {
                    *refill = 0;
                }
            }
        })
    }),
)
.caught("gives-up-exactly-when-due", clients::paying);
