import { problemFields, problemOf } from '../problems.ts'
import type { InterfaceRow, PeerRow } from '../tables.ts'
import type { DraftProblem, PeerDraft, ServerDraft } from './draft.ts'

/** A draft with what became of it. */
export interface Outcome {
  readonly draft: ServerDraft
  readonly problems: DraftProblem[]
  /** A device with its key runs under its name. */
  isRunning: boolean
  row: InterfaceRow | undefined
  readonly peers: { readonly draft: PeerDraft; problems: readonly DraftProblem[]; row: PeerRow | undefined }[]
}

/** Does the work, and notes the problem that it ends with. */
export async function noteProblem(problems: DraftProblem[], work: () => Promise<void>): Promise<void> {
  const problem = await problemOf(work)
  if (problem !== undefined)
    problems.push(...problemFields(problem).map(({ path, message }) => ({ field: path, message })))
}

/** Number of problems of all interfaces and peers. */
export const countProblems = (outcomes: readonly Outcome[]): number =>
  outcomes.reduce(
    (sum, { problems, peers }) => sum + problems.length + peers.reduce((own, peer) => own + peer.problems.length, 0),
    0,
  )
