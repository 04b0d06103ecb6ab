import { z } from 'zod'

/** How far the service is on its way to managing a Caddy. */
export const Onboarding = z
  .object({
    complete: z.boolean(),
    step: z.enum(['node', 'decision', 'apply', 'done']).meta({
      description:
        'node: no Caddy answers; decision: what runs is to be imported or replaced; apply: nothing was applied yet',
    }),
    admin_url: z.string().nullable(),
    is_own: z.boolean().meta({ description: 'Whether the service runs the Caddy itself' }),
    reachable: z.boolean(),
    error: z.string().nullable(),
    capabilities: z.record(z.string(), z.boolean()).nullable(),
    is_blank: z.boolean().nullable().meta({ description: 'Whether the Caddy serves nothing yet' }),
    running_sha256: z.string().nullable(),
    hosts: z.array(z.string()).meta({ description: 'What it serves now; the first 200' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Onboarding' })
export type Onboarding = z.infer<typeof Onboarding>

export const OnboardRequest = z
  .strictObject({
    admin_url: z.string().max(300).optional().meta({ description: 'Another admin endpoint than that of the settings' }),
    mode: z
      .enum(['import', 'replace'])
      .optional()
      .meta({ description: 'What becomes of what runs: import turns it into sites; needed when it serves something' }),
    acme_email: z.email().max(254).optional(),
    confirm_exclusive: z.boolean().optional().meta({
      description: 'From now on this service alone changes the configuration; needed when it serves something',
    }),
  })
  .meta({ id: 'OnboardRequest' })
export type OnboardRequest = z.infer<typeof OnboardRequest>

export const OnboardResult = z
  .object({
    status: z.enum(['onboarded', 'already_managed']),
    snapshot_sha256: z.string().nullable().meta({ description: 'Of what ran before' }),
    synced: z.boolean(),
    detail: z.string(),
    imported: z.int(),
    left_out: z.array(z.object({ path: z.string(), message: z.string() })),
  })
  .meta({ id: 'OnboardResult' })
export type OnboardResult = z.infer<typeof OnboardResult>

/** The state of the whole, as the proxy group tells it. */
export const CaddyStatus = z
  .object({
    managed: z.boolean(),
    onboarding_required: z.boolean(),
    admin_api_reachable: z.boolean(),
    admin_url: z.string().nullable(),
    last_synced_config_sha256: z.string().nullable(),
    drifted: z.boolean(),
    pending_sites: z.int(),
    failed_sites: z.int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'CaddyStatus' })
export type CaddyStatus = z.infer<typeof CaddyStatus>
