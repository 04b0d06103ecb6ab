import { z } from 'zod'

const length = z.int().nullable()

/** The picture laid over videos: whether it is one's own, and what it is like. */
export const Logo = z
  .object({
    custom: z.boolean(),
    width: length,
    height: length,
    bytes: length,
    fingerprint: z.string().nullable(),
  })
  .meta({ id: 'Logo' })
export type Logo = z.infer<typeof Logo>

export const LogoRemoved = Logo.extend({ removed: z.boolean() }).meta({ id: 'LogoRemoved' })
