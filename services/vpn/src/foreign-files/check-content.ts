import type { z } from 'zod'
import { FileProblem } from './given-file.ts'

/**
 * Checks what a file, or a row in it, holds. Throws a `FileProblem` that says what is wrong where, without the value: it may be a
 * private key.
 *
 * @param problem begins the message, such as `is no wg0.json of wg-easy`
 */
export function checkContent<S extends z.ZodType>(
  file: string,
  problem: string,
  { schema, value }: { schema: S; value: unknown },
): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new FileProblem(file, `${problem}: ${issue?.path.join('.')} ${issue?.message ?? ''}`)
}
