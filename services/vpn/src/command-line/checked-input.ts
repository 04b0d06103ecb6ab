import { phraseOfZodIssue } from '@hearth/http'
import { OperatorError } from '@hearth/runtime'
import type { z } from 'zod'

/** Options whose names are not those of the members they set. */
const optionNames: Readonly<Record<string, string>> = {
  ip_whitelist: 'ip',
  password: 'password-file',
  expires_in_hours: 'hours',
}

/** Checks the input of a command as the API does; an error has the option's name. */
export function checked<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const member = String(issue?.path[0] ?? '')
  const option = optionNames[member] ?? member
  throw new OperatorError(`--${option}: ${issue === undefined ? 'is not valid' : phraseOfZodIssue(issue)}`)
}

/** Does the work of a command; a refusal becomes an error of one line. */
export async function inOneLine<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const [{ AccountError }, { Problem }] = await Promise.all([import('@hearth/accounts'), import('../problems.ts')])
    throw error instanceof Problem || error instanceof AccountError
      ? new OperatorError(error.message, { cause: error })
      : error
  }
}
