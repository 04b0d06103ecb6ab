import { z } from 'zod'

/** Role of an account: `user` reads dashboards and manages its own sign-in methods, `admin` everything. */
export const Role = z.enum(['user', 'admin'])
export type Role = z.infer<typeof Role>

const nameRule = 'must be 1 to 50 letters, digits, dots, underscores or hyphens'

/** Kept in lower case. */
export const Username = z
  .string()
  .transform((name) => name.trim().toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9._-]{1,50}$/, nameRule))

/** A password's commonness is checked where it is set. */
export const NewPassword = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(4096, 'must have at most 4096 characters')
  .meta({ format: 'password' })

/** A password to be compared; empty and overlong ones are simply wrong. */
export const GivenPassword = z.string().max(4096).meta({ format: 'password' })

/** A typed user name; it need not exist. */
const GivenName = z.string().max(255)

export const SetUp = z
  .strictObject({
    token: z
      .string()
      .max(200)
      .meta({ description: 'From the terminal, or the file setup-token in the data directory' }),
    username: Username,
    password: NewPassword,
  })
  .meta({ id: 'SetUp' })
export type SetUp = z.infer<typeof SetUp>

export const SignIn = z
  .strictObject({
    username: GivenName,
    password: GivenPassword.optional(),
    recovery_code: z.string().max(100).optional().meta({ description: 'In place of the password; works once' }),
  })
  .refine((body) => (body.password === undefined) !== (body.recovery_code === undefined), {
    path: ['password'],
    error: 'or recovery_code must be there, and not both',
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

export const PasswordChange = z
  .strictObject({
    current_password: GivenPassword.optional().meta({
      description:
        'May be left out by one who has none, or who signed in within five minutes with a passkey or a recovery code',
    }),
    new_password: NewPassword,
  })
  .meta({ id: 'PasswordChange' })
export type PasswordChange = z.infer<typeof PasswordChange>

export const Reauthenticate = z.strictObject({ password: GivenPassword }).meta({ id: 'Reauthenticate' })

const Timestamp = z.iso.datetime()

/** The signed-in user. */
export const Session = z
  .object({
    user: z.object({ id: z.uuid(), username: z.string(), role: Role }),
    csrf_token: z.string(),
    expires_at: Timestamp.meta({ description: 'When it ends if nothing is done until then' }),
    recent_until: Timestamp.nullable().meta({ description: 'Until when no confirmation of who is calling is needed' }),
    password_change_required: z.boolean(),
    has_password: z.boolean(),
    passkeys: z.int().min(0),
    recovery_codes_left: z.int().min(0),
    api_tokens: z.literal(true).optional().meta({ description: 'There while API tokens are switched on' }),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

/** Answer to an action without other content. */
export const Done = z.object({ success: z.literal(true), message: z.string() }).meta({ id: 'Done' })

export const RecoveryCodes = z
  .object({ codes: z.array(z.string()).meta({ description: 'Shown this once; each signs in once' }) })
  .meta({ id: 'RecoveryCodes' })

export const CsrfToken = z.object({ token: z.string() }).meta({ id: 'CsrfToken' })

const sitesOnly = { description: 'Signs in to protected sites, and not to this service' }

/** Protected sites get it with each request of the user. */
const Email = z.email('must be an e-mail address').max(254).nullable()

export const User = z
  .object({
    id: z.uuid(),
    username: z.string(),
    email: z.string().nullable().meta({ description: 'Protected sites get it with each request of the user' }),
    role: Role,
    sites_only: z.boolean().meta(sitesOnly),
    is_active: z.boolean(),
    password_change_required: z.boolean(),
    has_password: z.boolean(),
    has_openid: z.boolean().meta({ description: 'Signs in through the OpenID Connect provider' }),
    passkeys: z.int().min(0),
    created_at: Timestamp,
    last_login_at: Timestamp.nullable(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

export const UserCreate = z
  .strictObject({
    username: Username,
    password: NewPassword,
    email: Email.default(null),
    role: Role.default('user'),
    sites_only: z
      .boolean()
      .default(false)
      .meta({ ...sitesOnly, description: `${sitesOnly.description}; role user only` }),
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
    email: Email.optional(),
    password: NewPassword.optional().meta({ description: 'Ends the user’s sessions' }),
    role: Role.optional(),
    sites_only: z.boolean().optional().meta(sitesOnly),
    is_active: z.boolean().optional(),
    password_change_required: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.infer<typeof UserUpdate>

export const UserParams = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/)
    .toLowerCase(),
})
