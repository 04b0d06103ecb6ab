import { z } from 'zod'
import { Timestamp, plainText } from '../envelope.ts'
import { NewPassword, User } from '../users/schema.ts'

export const SignIn = z
  .strictObject({
    username: plainText(128).min(1),
    password: z.string().min(1).max(128).meta({ format: 'password' }),
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

/** The signed-in user, and the CSRF token that writes of this session must carry. */
export const Session = z
  .object({
    user: User,
    csrf_token: z.string().meta({ description: 'Sent as X-CSRF-Token with every write' }),
    expires_at: Timestamp.meta({ description: 'When the session ends unless it is used before' }),
    password_change_required: z.boolean(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const PasswordChange = z
  .strictObject({
    current_password: z.string().min(1).max(128).meta({ format: 'password' }),
    new_password: NewPassword,
  })
  .meta({ id: 'PasswordChange' })
