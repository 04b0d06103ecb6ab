import { Section } from '@hearth/ui'
import type { SettingsView } from '../api.ts'

type Facts = SettingsView['environment']

/** Settings from the environment; read-only. */
export function EnvironmentTable({ facts }: { facts: Facts }) {
  return (
    <Section title="Environment variables">
      <p className="hearth-dimmed environment-lead">
        Set when the service starts. Changes take effect after a restart.
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
    ['Listen address', 'BIND_ADDRESS', `${facts.bind_address}:${facts.bind_port}`],
    ['Public API documentation', 'DOCS_PUBLIC', yesOrNo(facts.docs_public)],
    ['Vendor diagnostics', 'ENABLE_VENDOR_DIAGNOSTICS', yesOrNo(facts.vendor_diagnostics)],
    [
      'Trusted proxies',
      'TRUSTED_PROXIES',
      facts.trusted_proxies.length === 0 ? 'none' : facts.trusted_proxies.join(', '),
    ],
    ['Client address header', 'FORWARDED_HEADER', facts.forwarded_header],
    ['Requests per minute', 'RATE_LIMIT_PER_MINUTE', facts.requests_per_minute.toLocaleString('en')],
  ]
}
