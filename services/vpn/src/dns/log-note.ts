import type { LogEntry } from './log-ring.ts'
import type { Decider } from './policy/decide.ts'
import { Reason, Status } from './policy/verdict.ts'
import type { Question } from './wire/question.ts'

/** Starts the entry of a query that was just read, as if it were allowed; the caller sets its time. */
export function noteQuestion(entry: LogEntry, question: Question, client: number): void {
  entry.status = Status.allowed
  entry.reason = Reason.none
  entry.source = 0
  entry.traits = 0
  entry.rcode = 0
  entry.type = question.type
  entry.client = client
  entry.micros = 0
  entry.upstream = 0
  entry.nameLength = question.name.length
}

/** Notes what was decided. */
export function noteDecision(entry: LogEntry, decider: Decider): void {
  entry.status = decider.status
  entry.reason = decider.reason
  entry.source = decider.source
  entry.traits |= decider.traits
}

/** An entry whose name is this array from now on. */
export const emptyEntry = (name: Uint8Array): LogEntry => ({
  status: 0,
  reason: 0,
  source: 0,
  traits: 0,
  rcode: 0,
  type: 0,
  client: 0,
  at: 0,
  micros: 0,
  upstream: 0,
  name,
  nameLength: 0,
})
