import { z } from 'zod'
import { Platform } from '../platforms/schema.ts'

export const JarStatus = z.enum(['valid', 'expired', 'invalid', 'missing'])
export type JarStatus = z.infer<typeof JarStatus>

/** State of the cookies of one platform; names and dates only, never a value. */
export const CookieSnapshot = z
  .object({
    platform: Platform,
    filename: z.string(),
    present: z.boolean(),
    status: JarStatus.meta({ description: '`invalid`: login cookies are missing, or the jar cannot be read' }),
    authenticated: z.boolean().meta({ description: 'Whether downloads from the platform use these cookies' }),
    cookie_count: z.int(),
    matching_domain_count: z.int().meta({ description: 'Cookies on the domains of the platform' }),
    expires_at: z
      .int()
      .nullable()
      .meta({ description: 'When the sign-in ends, Unix seconds; null when it does not say' }),
    updated_at: z.int().nullable().meta({ description: 'When the jar was stored, Unix seconds' }),
    domains: z.array(z.string()),
    missing_login_cookies: z.array(z.string()).meta({ description: 'Names; alternatives are joined by ` or `' }),
    detail: z.string().meta({ description: 'The status in words' }),
  })
  .meta({ id: 'CookieSnapshot' })
export type CookieSnapshot = z.infer<typeof CookieSnapshot>

/** Cookies as text: a Netscape jar, a cookie header, a copied request or a JSON export. */
export const CookiePaste = z.object({ text: z.string() }).meta({ id: 'CookiePaste' })
export type CookiePaste = z.infer<typeof CookiePaste>
