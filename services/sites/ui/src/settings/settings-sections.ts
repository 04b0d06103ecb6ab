import type { SettingsSection } from '@hearth/ui'
import type { SettingsValues } from './settings-values.ts'

/** The sections of the settings page, beside the one about certificates. */
export const settingsSections: readonly SettingsSection<SettingsValues>[] = [
  {
    title: 'What visitors see',
    fields: [
      {
        name: 'default_response',
        kind: 'select',
        label: 'For a host that no site has',
        description: 'What anybody gets who calls this server by a name that is not set up here',
        choices: { '404': 'Answer “404 Not Found”', abort: 'Close the connection without an answer' },
      },
      {
        name: 'maintenance_page',
        kind: 'lines',
        label: 'For a site in maintenance',
        description: 'Plain text. A site can have its own text.',
      },
    ],
  },
  {
    title: 'Changing sites',
    fields: [
      {
        name: 'site_probe',
        kind: 'switch',
        label: 'Request each changed site once after it was applied',
        description:
          'When the new configuration does not answer, the one before comes back by itself. Switch it off when Hearth does not reach the ports of a further Caddy server: sites are not checked there then either.',
      },
      {
        name: 'allow_raw',
        kind: 'switch',
        label: 'Directives of your own',
        description:
          'Administrators may give a site pieces of a Caddyfile. They can do what the form refuses, so this is off.',
      },
    ],
  },
  {
    title: 'Grades of TLS',
    fields: [
      {
        name: 'grade_source',
        kind: 'select',
        label: 'Who grades',
        description:
          'The service grades by itself and tells nobody. SSL Labs learns the names of your sites, and reaches public ones only.',
        choices: { local: 'This service', ssllabs: 'SSL Labs' },
      },
      {
        name: 'grade_schedule',
        kind: 'select',
        label: 'How often',
        choices: { daily: 'Every day', weekly: 'Every week', off: 'Only on request' },
      },
      {
        name: 'grade_retention_days',
        kind: 'select',
        label: 'Keep grades',
        choices: {
          0: 'For ever',
          7: '7 days',
          14: '14 days',
          30: '30 days',
          90: '90 days',
          180: '180 days',
          365: 'A year',
        },
      },
    ],
  },
]
