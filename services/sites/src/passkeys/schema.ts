import { LoginFinish as Finish, Passkey } from '@hearth/accounts/passkey-schema'
import { z } from 'zod'
import { GivenPassword } from '../accounts/schema.ts'

export const RegisterStart = z
  .strictObject({
    current_password: GivenPassword.optional().meta({ description: 'Not needed within five minutes of signing in' }),
  })
  .meta({ id: 'PasskeyRegisterStart' })

export const LoginFinish = Finish.extend({
  next_url: z.string().max(512).optional().meta({ description: 'Where the page wants to go: a path of this service' }),
}).meta({ id: 'PasskeyLoginFinish' })

export const RegisterDone = z
  .object({ success: z.literal(true), message: z.string(), passkey: Passkey })
  .meta({ id: 'PasskeyRegisterDone' })

export const LoginDone = z
  .object({
    success: z.literal(true),
    message: z.string(),
    redirect_url: z.string().meta({ description: '`next_url` when that is a path of this service, else `/`' }),
    csrf_token: z.string().meta({ description: 'Of the new session' }),
  })
  .meta({ id: 'PasskeyLoginDone' })
