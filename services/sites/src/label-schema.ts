import { z } from 'zod'

/** A name that an administrator gives to something: 1 to 100 characters on one line. */
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
