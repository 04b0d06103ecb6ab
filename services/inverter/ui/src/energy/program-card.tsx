import { Code, Text } from '@mantine/core'
import { CopyButton, Section } from '@hearth/ui'
import { Link } from 'wouter'
import type { EnergyDevice } from '../api.ts'

/** How a program commands this inverter. */
export function ProgramCard({ energy }: { energy: EnergyDevice }) {
  const address = `${window.location.origin}/api/v1/devices/${encodeURIComponent(energy.device_id)}/energy/command`
  const sample = [
    `curl -X POST ${address} \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"action": "charge", "target_soc_percent": 80}'`,
  ].join('\n')
  return (
    <Section title="For programs" actions={<CopyButton text={sample}>Copy</CopyButton>}>
      <div className="hearth-stack">
        <Text className="hearth-dimmed">
          A program needs a token that may write; it is made under{' '}
          <Link href="/tokens" className="hearth-link">
            Tokens
          </Link>
          . The actions are charge, discharge, hold and auto. Each ends after an hour unless another one follows.
        </Text>
        <Code block tabIndex={0} aria-label="Sample of a command">
          {sample}
        </Code>
      </div>
    </Section>
  )
}
