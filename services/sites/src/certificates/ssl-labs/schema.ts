import { z } from 'zod'

const timestamp = z.iso.datetime()

/** State of the registration with SSL Labs. The e-mail address is always masked. */
export const RegistrationStatus = z
  .object({
    masked_email: z.string(),
    is_registered: z.boolean().nullable().meta({ description: 'Null when nobody knows' }),
    message: z.string(),
  })
  .meta({ id: 'SslLabsStatus' })
export type RegistrationStatus = z.infer<typeof RegistrationStatus>

const personName = z.string().trim().min(1).max(100)

/** Identity to register; without a body that of the settings. Names are sent to SSL Labs as they are. */
export const RegisterRequest = z
  .strictObject({
    first_name: personName,
    last_name: personName,
    email: z.email('must be an e-mail address').max(254),
    organization: z.string().trim().min(1).max(200),
    accept_free_mail: z.boolean().default(false).meta({
      description: 'Sends an address of a free provider, too; SSL Labs refuses those as a rule',
    }),
  })
  .meta({ id: 'SslLabsRegistration' })
export type RegisterRequest = z.infer<typeof RegisterRequest>

export const Registered = z
  .object({ success: z.boolean(), message: z.string(), masked_email: z.string() })
  .meta({ id: 'SslLabsRegistered' })

/** Progress of the scan of a host. */
export const ScanView = z
  .object({
    host: z.string(),
    site_id: z.int(),
    state: z.enum(['queued', 'starting', 'dns', 'in_progress', 'rate_limited', 'ready', 'error', 'failed']),
    grade: z.string().nullable(),
    message: z.string().nullable(),
    requested_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'SslLabsScan' })
export type ScanView = z.infer<typeof ScanView>

export const ScanList = z
  .object({ enabled: z.boolean(), site_ids: z.array(z.int()), scans: z.array(ScanView) })
  .meta({ id: 'SslLabsScans' })

export const ScanRequest = z
  .strictObject({
    host: z.string().min(1).max(255),
    fresh: z.boolean().default(false).meta({ description: 'A new assessment, at most every five minutes' }),
  })
  .meta({ id: 'SslLabsScanRequest' })

export const OptInParams = z.object({ id: z.coerce.number().int().positive().max(2_147_483_647) })

/** True if the names of a site may be sent to SSL Labs. */
export const OptIn = z.strictObject({ enabled: z.boolean() }).meta({ id: 'SslLabsOptIn' })
