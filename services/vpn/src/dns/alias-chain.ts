import { isQueriedAtParent, localRcode } from './local-answer.ts'
import { maxAnswerBytes } from './answer-cache.ts'
import { Decider } from './policy/decide.ts'
import type { Policy } from './policy/policy.ts'
import { RecordWord } from './policy/record-layout.ts'
import type { RecordTable } from './policy/record-table.ts'
import { Reason, Status } from './policy/verdict.ts'
import { Rcode, Type } from './wire/codes.ts'
import { maxNameLength } from './wire/name.ts'
import { Question } from './wire/question.ts'

/** Number of local CNAME records that are followed one after another. */
export const maxAliases = 8

/** Where the records of a name lead. */
export const Lead = { records: 0, upstream: 1, blocked: 2, nowhere: 3, loop: 4 } as const

/** The client whose question is answered. */
export interface RecordAsker {
  readonly policy: Policy
  readonly client: number
  readonly isPaused: boolean
}

/**
 * Follows local CNAME records from the queried name, each target through the rows of a decision as any other name. What it found
 * stands in its members until the next.
 */
export class AliasChain {
  /** Positions of the CNAME records in the policy's table, and how many there are. */
  readonly aliases = new Int32Array(maxAliases)
  count = 0
  /** Position of the records of the last name; 0 when it has none. */
  records = 0
  /** The table they stand in. */
  table: RecordTable | undefined
  /** The response code of a name that leads nowhere. */
  rcode: number = Rcode.noError
  /** The question about the last name, for an upstream. Behind it there is room for an answer. */
  readonly question = new Question()
  /** The decision about the last name, when there is an alias. */
  readonly decider = new Decider()
  readonly #message = new Uint8Array(12 + maxNameLength + 4 + maxAnswerBytes)

  /** Follows the records that a decision about the question found. Returns a `Lead`. */
  follow(asker: RecordAsker, question: Question, first: Decider): number {
    const { policy, client, isPaused } = asker
    const { decider } = this
    this.count = 0
    this.records = first.records
    this.table = first.table
    for (;;) {
      const alias = question.type === Type.cname ? 0 : (this.table?.first(this.records, Type.cname) ?? 0)
      if (alias === 0) return Lead.records
      if (this.count === maxAliases) return Lead.loop
      this.aliases[this.count++] = alias
      this.#ask(question, policy.records, alias)
      decider.type = Type.cname
      decider.decide(policy, this.question.name, client, isPaused, null)
      this.records = decider.records
      this.table = decider.table
      if (decider.status === Status.blocked) return Lead.blocked
      if (this.records === 0) return this.#leave()
    }
  }

  /** The last name has no records. */
  #leave(): number {
    const { decider, question } = this
    if (decider.reason !== Reason.local || isQueriedAtParent(question, decider.source)) return Lead.upstream
    this.rcode = localRcode(question, decider.source)
    return Lead.nowhere
  }

  /** Makes the question about the target of a CNAME record. */
  #ask(question: Question, { words, bytes }: RecordTable, alias: number): void {
    const from = words[alias + RecordWord.dataAt]!
    const length = words[alias + RecordWord.dataLength]!
    const message = this.#message
    let at = 12
    for (let k = 0; k < length; k++) message[at++] = bytes[from + k]!
    this.question.become(question, question.type, message, at)
  }
}
