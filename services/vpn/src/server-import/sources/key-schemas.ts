import { z } from 'zod'
import { isKey } from '../../wireguard/keys.ts'

/** A key as programs store it. */
export const storedKey = z.string().refine(isKey, 'is not 32 bytes of base64')

/** The same where there may be none: no value, or an empty text. */
export const optionalStoredKey = z
  .union([z.literal('').transform(() => null), storedKey])
  .nullish()
  .transform((value) => value ?? null)
