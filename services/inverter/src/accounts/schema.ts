import { z } from 'zod'

const secret = z.string().min(1).max(128).meta({ format: 'password' })

export const SignIn = z.strictObject({ username: z.string().min(1).max(128), password: secret }).meta({ id: 'SignIn' })

export const PasswordChange = z
  .strictObject({
    current_password: secret,
    new_password: z.string().min(8).max(128).meta({ format: 'password' }),
  })
  .meta({ id: 'PasswordChange' })

/** The signed-in user and the CSRF token of the session. */
export const Session = z
  .object({
    user: z.object({ id: z.string(), username: z.string(), role: z.literal('admin') }),
    csrf_token: z.string().meta({ description: 'Sent as X-CSRF-Token with every write' }),
    expires_at: z.iso.datetime(),
    password_change_required: z.boolean(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>
