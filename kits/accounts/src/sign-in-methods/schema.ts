import { z } from 'zod'
import { Passkey, PasskeyParams } from '../passkeys/schema.ts'

/** A password to be compared; empty and overlong ones are simply wrong. */
const GivenPassword = z.string().max(4096).meta({ format: 'password' })

/** Body of a change of one's own sign-in methods. */
export const CurrentPassword = z.strictObject({ current_password: GivenPassword }).meta({ id: 'CurrentPassword' })

/** Path parameter of one's own passkey; services have others that are called `id`. */
export const OwnPasskeyParams = z.object({ passkey_id: PasskeyParams.shape.id })

/** Answer that lists a user's own passkeys. */
export const PasskeyList = z.object({ passkeys: z.array(Passkey) }).meta({ id: 'PasskeyList' })

/** Answer with new recovery codes. */
export const RecoveryCodes = z
  .object({ codes: z.array(z.string()).meta({ description: 'Shown this once; each signs in once' }) })
  .meta({ id: 'RecoveryCodes' })

/** Answer with the number of recovery codes that were not used yet. */
export const RecoveryCodeCount = z.object({ left: z.int().min(0) }).meta({ id: 'RecoveryCodeCount' })

/** Body of a sign-in by recovery code. */
export const RecoverySignIn = z
  .strictObject({
    username: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\0]*$/, 'must not contain a null character'),
    recovery_code: z.string().min(1).max(100).meta({ description: 'In place of the password; works once' }),
  })
  .meta({ id: 'RecoverySignIn' })

/** Body of a sign-in by recovery code that may also replace a lost password. */
export const PasswordRecovery = RecoverySignIn.extend({
  new_password: z
    .string()
    .min(8)
    .max(128)
    .optional()
    .meta({ format: 'password', description: 'Replaces the password and ends the other sessions; left out, it stays' }),
}).meta({ id: 'PasswordRecovery' })
export type PasswordRecovery = z.infer<typeof PasswordRecovery>
