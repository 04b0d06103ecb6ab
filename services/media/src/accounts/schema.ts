import { z } from 'zod'

/** Body of a sign-in, from the form or a script. */
export const SignIn = z
  .object({
    username: z.string().min(1).max(128),
    password: z.string().min(1).max(1024).meta({ format: 'password' }),
    captcha_token: z.string().max(1024).default(''),
    honeypot: z.string().max(1024).default('').meta({ description: 'Left empty by people' }),
    website: z.string().max(1024).optional().meta({ description: 'The honeypot’s name in the form' }),
    csrf_token: z.string().max(1024).optional(),
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

/** Answer to a sign-in. */
export const SignInAnswer = z.object({ ok: z.literal(true), redirect: z.string() }).meta({ id: 'SignInAnswer' })

/** Answer to the end of one of the account's sessions. */
export const SessionEnded = z.object({ ok: z.literal(true) }).meta({ id: 'SessionEnded' })

/** State of the session: whether sign-in is required, and who is signed in. */
export const SessionState = z
  .object({
    authentication: z.boolean(),
    username: z.string().nullable().meta({ description: 'null when nobody is signed in' }),
    has_credentials: z.boolean().meta({ description: 'Whether an account was set up' }),
    is_open: z.boolean().meta({ description: 'Sign-in is off: everyone who reaches the service may do everything' }),
    version: z.string(),
    api_tokens: z.literal(true).optional().meta({ description: 'There while API tokens are switched on' }),
  })
  .meta({ id: 'SessionState' })
export type SessionState = z.infer<typeof SessionState>
