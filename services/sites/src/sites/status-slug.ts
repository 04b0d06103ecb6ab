import { z } from 'zod'

/** Last part of the address of a status page: `/status/{slug}`. */
export const StatusSlug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/, 'must be 1 to 50 lower-case letters, digits and hyphens within')
