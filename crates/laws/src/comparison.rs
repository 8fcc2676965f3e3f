//! The inputs of a run, given to a subject that starts anew, again or changed.

use core::time::Duration;
use std::rc::Rc;

use retrylab_sim::{Entropy, Finding, Input, Record, Requirement, Response};

use crate::claim::{Claim, Drawing};
use crate::law::Law;
use crate::subject::{Subject, SubjectError};

/// The responses, if there is one to each input: a subject may have lost count.
///
/// # Errors
///
/// If there are more or fewer.
pub(crate) fn one_each(inputs: &[Input], responses: Vec<Response>) -> Result<Vec<Response>, SubjectError> {
    if responses.len() == inputs.len() {
        return Ok(responses);
    }
    Err(SubjectError(format!(
        "it was told {} things, and gave {} answers; each has to have one",
        inputs.len(),
        responses.len()
    )))
}

/// The inputs of a run, each with the record that carries it.
#[derive(Clone, Debug, Default)]
pub struct History {
    inputs: Vec<Input>,
    /// The record of each: its number, attempt and true time.
    records: Vec<(u64, u64, u64)>,
}

impl History {
    /// Takes the next record.
    pub fn observe(&mut self, record: &Record) {
        if let Some(input) = record.input() {
            self.inputs.push(input);
            self.records.push((record.number, record.attempt, record.time_ns));
        }
    }

    /// The inputs, in order.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The violation of a law that this input shows, from 0.
    pub(crate) fn finding(&self, law: &Law, input: usize, expected: String, got: String) -> Finding {
        let (record, attempt, time_ns) = self.records.get(input).copied().unwrap_or_default();
        let (requirement, at) = (Requirement::Law { name: law.name, nth: None }, Duration::from_nanos(time_ns));
        Finding { requirement, expected, got, record: Some(record), attempt, at }
    }
}

/// The inputs of a run with their responses, and a subject for other inputs, which starts anew each time.
pub struct Comparison<'a> {
    /// The claim of the subject.
    pub claim: &'a Claim,
    /// The inputs.
    pub inputs: &'a [Input],
    /// The responses, one by one.
    pub responses: &'a [Response],
    subject: &'a dyn Subject,
    /// The responses of several clients, for as many as a law needed so far.
    clients: Vec<Rc<[Response]>>,
    /// The responses of a crowd to the first inputs, for laws that share it.
    crowd: Option<Rc<[Vec<Response>]>>,
    error: Option<SubjectError>,
}

impl<'a> Comparison<'a> {
    pub(crate) const fn new(
        claim: &'a Claim,
        inputs: &'a [Input],
        responses: &'a [Response],
        subject: &'a dyn Subject,
    ) -> Self {
        Self { claim, inputs, responses, subject, clients: Vec::new(), crowd: None, error: None }
    }

    /// The responses of a fresh subject to these inputs; `None` if it could not respond, which is kept as an error.
    pub(crate) fn respond(&mut self, inputs: &[Input]) -> Option<Vec<Response>> {
        match self.subject.respond(inputs)?.and_then(|responses| one_each(inputs, responses)) {
            Ok(responses) => Some(responses),
            Err(error) => {
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// The responses to the inputs of at least this many clients, each with draws of its own; `None` if no input is a failure.
    pub(crate) fn clients(&mut self, count: usize) -> Option<Vec<Rc<[Response]>>> {
        if !self.inputs.iter().any(Input::is_failure) {
            return None;
        }
        let given = self.claim.drawing() == Drawing::Given;
        for client in self.clients.len()..count {
            let mut draws = Entropy::new(0).client(client as u64);
            let redrawn = |input: &Input| if given { input.with_draw(draws.next_draw()) } else { *input };
            let inputs: Vec<Input> = self.inputs.iter().map(redrawn).collect();
            let responses = self.respond(&inputs)?;
            self.clients.push(responses.into());
        }
        Some(self.clients.clone())
    }

    /// The responses of this many clients that draw for themselves to the first inputs. Every call of a run has to have the same
    /// numbers.
    pub(crate) fn crowd(&mut self, count: usize, inputs: usize) -> Option<Rc<[Vec<Response>]>> {
        if self.crowd.is_none() {
            let inputs = &self.inputs[..inputs];
            let crowd: Option<Vec<_>> = (0..count).map(|_| self.respond(inputs)).collect();
            self.crowd = Some(crowd?.into());
        }
        self.crowd.clone()
    }

    /// The first fault of the subject.
    pub(crate) fn into_error(self) -> Option<SubjectError> {
        self.error
    }
}

impl core::fmt::Debug for Comparison<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Comparison").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
