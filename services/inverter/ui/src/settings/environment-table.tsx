import { Section } from '@hearth/ui'
import type { SettingsView } from '../api.ts'

type Facts = SettingsView['environment']

/** What was decided where the service was started; shown, not changed. */
export function EnvironmentTable({ facts }: { facts: Facts }) {
  return (
    <Section title="From the environment">
      <p className="hearth-dimmed environment-lead">
        These are set where the service is started, and take effect with its next start.
      </p>
      <dl className="hearth-facts">
        {rowsOf(facts).map(([name, variable, value]) => (
          <div key={variable}>
            <dt>
              {name} <small className="hearth-mono">{variable}</small>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No')

function rowsOf(facts: Facts): [name: string, variable: string, value: string][] {
  return [
    ['Listens at', 'BIND_ADDRESS', `${facts.bind_address}:${facts.bind_port}`],
    ['API description for everyone', 'DOCS_PUBLIC', yesOrNo(facts.docs_public)],
    ['Vendor routes', 'ENABLE_VENDOR_DIAGNOSTICS', yesOrNo(facts.vendor_diagnostics)],
    [
      'Trusted proxies',
      'TRUSTED_PROXIES',
      facts.trusted_proxies.length === 0 ? 'none' : facts.trusted_proxies.join(', '),
    ],
    ['Header with the caller’s address', 'FORWARDED_HEADER', facts.forwarded_header],
    ['Most requests a minute', 'RATE_LIMIT_PER_MINUTE', facts.requests_per_minute.toLocaleString('en')],
  ]
}
