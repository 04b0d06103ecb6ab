import { z } from 'zod'
import { idText, Timestamp, pageQuery } from '../envelope.ts'

/** Role of an account. */
export const Role = z.enum(['admin', 'user'])
export type Role = z.infer<typeof Role>

/** 3 to 64 characters, kept in lower case: letters, digits and single `.`, `-`, `_` between them. */
export const Username = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(
    z
      .string()
      .min(3)
      .max(64)
      .regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, 'must be letters and digits, with single ".", "-" or "_" between them'),
  )

const email = z
  .string()
  .max(254)
  .transform((text) => text.toLowerCase())
  .pipe(z.email())

/** 8 to 128 characters; whether it is too common is checked where it is set. */
export const NewPassword = z.string().min(8).max(128).meta({ format: 'password' })

/** An account as the API shows it, without its password. */
export const User = z
  .object({
    id: z.uuid(),
    username: z.string(),
    email: z.string(),
    role: Role,
    is_active: z.boolean(),
    password_change_required: z.boolean(),
    created_at: Timestamp,
    last_login_at: Timestamp.nullable(),
    last_login_ip: z.string().nullable(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

/** An account in the list of all, with the ways it signs in. */
export const ListedUser = User.extend({
  has_openid: z.boolean().meta({ description: 'Signs in through the OpenID Connect provider' }),
  passkeys: z.int().meta({ description: 'Number of passkeys' }),
}).meta({ id: 'ListedUser' })
export type ListedUser = z.infer<typeof ListedUser>

/** An account to create. */
export const UserCreate = z
  .strictObject({
    username: Username,
    email,
    password: NewPassword,
    role: Role,
    is_active: z.boolean().optional(),
    password_change_required: z
      .boolean()
      .optional()
      .meta({ description: 'Ask for a new password at the first sign-in' }),
  })
  .meta({ id: 'UserCreate' })
export type UserCreate = z.infer<typeof UserCreate>

export const UserUpdate = z
  .strictObject({
    username: Username.optional(),
    email: email.optional(),
    password: NewPassword.optional(),
    current_password: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'Needed to change one’s own password', format: 'password' }),
    role: Role.optional(),
    is_active: z.boolean().optional(),
    password_change_required: z
      .boolean()
      .optional()
      .meta({ description: 'Ask for a new password at the next sign-in' }),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.infer<typeof UserUpdate>

export const UserParams = z.object({ id: idText })
export const UserListQuery = z.strictObject(pageQuery(50))
export const UserDeleted = z.object({ id: z.uuid(), username: z.string() }).meta({ id: 'UserDeleted' })
