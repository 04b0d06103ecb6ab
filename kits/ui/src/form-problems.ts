import { ApiError, describeError, type FieldProblem } from './api-error.ts'

/** The part of a Mantine form that errors are written to. */
export interface ProblemForm {
  getValues(): Record<string, unknown>
  setFieldError(path: string, error: string): void
  getInputNode?(path: string): HTMLElement | null | undefined
}

/**
 * Writes the server's field problems to the inputs of the same name and puts the cursor into the first. Returns what no
 * input could show as one text, or null when everything stands at its field.
 */
export function applyFieldProblems(form: ProblemForm, error: unknown): string | null {
  if (!(error instanceof ApiError) || error.fields.length === 0) return describeError(error)
  const { shown, rest } = matchProblems(error.fields, inputPaths(form.getValues()))
  for (const problem of shown) form.setFieldError(problem.path, problem.message)
  const first = shown[0]
  if (first !== undefined) form.getInputNode?.(first.path)?.focus()
  return rest.length === 0 ? null : rest.join('. ')
}

/** Splits problems into those an input can show (`ip_whitelist.0` goes to `ip_whitelist`) and sentences for the rest. */
export function matchProblems(
  problems: readonly FieldProblem[],
  inputs: readonly string[],
): { shown: { path: string; message: string }[]; rest: string[] } {
  const shown = new Map<string, string>()
  const rest: string[] = []
  for (const problem of problems) {
    const input = prefixesOf(problem.path).find((path) => inputs.includes(path))
    const text = capital(problem.message)
    if (input === undefined)
      rest.push(problem.path === '' ? text : `${capital(problem.path.replaceAll('_', ' '))} ${problem.message}`)
    else if (!shown.has(input)) shown.set(input, text)
  }
  return { shown: [...shown].map(([path, message]) => ({ path, message })), rest }
}

/** Members of the values, and those of the entries of their lists: `clients` and `clients.0.name`. */
function inputPaths(values: Record<string, unknown>): string[] {
  const lists = Object.entries(values).flatMap(([name, value]) => (Array.isArray(value) ? pathsIn(name, value) : []))
  return [...Object.keys(values), ...lists]
}

function pathsIn(name: string, entries: readonly unknown[]): string[] {
  return entries.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? Object.keys(entry).map((key) => `${name}.${index}.${key}`) : [],
  )
}

/** The path and what it lies in, the longest first. */
function prefixesOf(path: string): string[] {
  const parts = path.split('.')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
