const phrases = {
  exit: 'failed',
  timeout: 'took too long and was ended',
  memory: 'needed too much memory and was ended',
  processes: 'started too many processes and was ended',
  bytes: 'wrote more than it may and was ended',
  aborted: 'was ended',
  missing: 'cannot be started',
  output: 'answered something that cannot be read',
}

/** Reason why a tool did not do its work. */
export type ToolFailureKind = keyof typeof phrases

/** A tool that failed or was stopped. `output` is the end of its output, for the log and the diagnosis. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly kind: ToolFailureKind
  readonly tool: string
  readonly code: number | null
  readonly output: string

  constructor(kind: ToolFailureKind, about: { tool: string; code?: number | null; output?: string; detail?: string }) {
    super(`${about.tool}: ${about.detail ?? phrases[kind]}`)
    this.kind = kind
    this.tool = about.tool
    this.code = about.code ?? null
    this.output = withoutQueries(about.output ?? '')
  }
}

/** Removes queries of URLs: they carry signatures with which a reader of the log could download. */
export const withoutQueries = (text: string): string => text.replaceAll(/(https?:\/\/[^\s?#"']+)[?#][^\s"']*/g, '$1')
