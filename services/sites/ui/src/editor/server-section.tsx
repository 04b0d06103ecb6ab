import { Title } from '@mantine/core'
import { blankActive, blankPassive } from './blank-draft.ts'
import { valueAt } from './draft.ts'
import { ListField, NumberField, PartSwitch, SelectField, SwitchField, TextField, useEditing } from './fields.tsx'
import { useUploadOptions } from '../certificates/read-certificates.ts'

const policies = [
  { value: 'round_robin', label: 'Round robin' },
  { value: 'weighted_round_robin', label: 'Weighted round robin' },
  { value: 'least_conn', label: 'Least connections' },
  { value: 'first', label: 'First available' },
  { value: 'random', label: 'Random' },
  { value: 'random_choose', label: 'Least busy of several random ones' },
  { value: 'ip_hash', label: 'Hash of the connecting address' },
  { value: 'client_ip_hash', label: 'Hash of the visitor’s address' },
  { value: 'uri_hash', label: 'Hash of the requested address' },
  { value: 'header', label: 'Hash of a header' },
  { value: 'cookie', label: 'Cookie' },
  { value: 'query', label: 'Hash of a query parameter' },
] as const

const named = new Set(['header', 'cookie', 'query'])
const own = 'Caddy’s own'

/** Fields for load balancing, health checks and connections to upstreams; `prefix` is empty or `paths.0.`. */
export function ServerSection({ prefix }: { prefix: string }) {
  return (
    <>
      <BalancingFields prefix={prefix} />
      <Title order={3}>Health checks</Title>
      <HealthFields prefix={prefix} />
      <Title order={3}>Connection to upstreams</Title>
      <ConnectionFields prefix={prefix} />
    </>
  )
}

function BalancingFields({ prefix }: { prefix: string }) {
  const { draft } = useEditing()
  const policy = String(valueAt(draft, `${prefix}lb.policy`))
  return (
    <div className="field-columns">
      <SelectField path={`${prefix}lb.policy`} label="Policy" options={policies} />
      {named.has(policy) && <TextField path={`${prefix}lb.name`} label="Name of it" isNullable isMono />}
      {policy === 'random_choose' && (
        <NumberField path={`${prefix}lb.choose`} label="Number of random upstreams" min={2} max={64} />
      )}
      <NumberField path={`${prefix}lb.retries`} label="Retries" min={0} max={10} />
      <NumberField path={`${prefix}lb.try_duration`} label="Seconds to go on trying" min={0} max={60} isWhole={false} />
    </div>
  )
}

function HealthFields({ prefix }: { prefix: string }) {
  const { draft } = useEditing()
  const health = `${prefix}health`
  return (
    <>
      <PartSwitch
        path={`${health}.active`}
        blank={blankActive}
        label="Check upstreams actively"
        description="Caddy sends its own requests."
      />
      {valueAt(draft, `${health}.active`) !== null && (
        <div className="field-inset field-columns">
          <TextField path={`${health}.active.path`} label="Path" isMono />
          <TextField path={`${health}.active.host_header`} label="Host header" isNullable isMono placeholder={own} />
          <NumberField path={`${health}.active.interval`} label="Every (seconds)" min={2} max={3600} isWhole={false} />
          <NumberField path={`${health}.active.timeout`} label="Waits (seconds)" min={0.1} max={60} isWhole={false} />
          <NumberField
            path={`${health}.active.expect_status`}
            label="Expected status"
            description="2 stands for 200 to 299"
            min={2}
            max={599}
          />
          <NumberField path={`${health}.active.passes`} label="Good answers to count as up" min={1} max={10} />
          <NumberField path={`${health}.active.fails`} label="Failures to count as down" min={1} max={10} />
        </div>
      )}
      <PartSwitch
        path={`${health}.passive`}
        blank={blankPassive}
        label="Leave out upstreams that fail"
        description="Judged by the requests of visitors."
      />
      {valueAt(draft, `${health}.passive`) !== null && (
        <div className="field-inset field-columns">
          <NumberField
            path={`${health}.passive.fail_duration`}
            label="Failures count for (seconds)"
            min={0}
            max={3600}
            isWhole={false}
          />
          <NumberField path={`${health}.passive.max_fails`} label="Failures to be left out" min={1} max={100} />
          <ListField path={`${health}.passive.unhealthy_status`} label="Statuses that count" isNumeric max={32} />
          <NumberField
            path={`${health}.passive.unhealthy_latency`}
            label="Slower counts too (seconds)"
            min={0}
            max={600}
            isWhole={false}
            isNullable
          />
        </div>
      )}
    </>
  )
}

function ConnectionFields({ prefix }: { prefix: string }) {
  const times = `${prefix}timeouts`
  const tls = `${prefix}upstream_tls`
  const authorities = useUploadOptions('authority')
  return (
    <>
      <div className="field-columns">
        <SelectField
          path={`${prefix}upstream_host`}
          label="Host header"
          options={[
            { value: 'client', label: 'That of the visitor' },
            { value: 'upstream', label: 'The name of the upstream' },
          ]}
        />
        <SelectField
          path={`${times}.flush`}
          label="Answers are passed on"
          options={[
            { value: 'auto', label: 'As Caddy sees fit' },
            { value: 'immediate', label: 'At once' },
          ]}
        />
        {(['dial', 'read', 'write'] as const).map((name) => (
          <NumberField
            key={name}
            path={`${times}.${name}`}
            label={
              { dial: 'Connect within (seconds)', read: 'Read within (seconds)', write: 'Write within (seconds)' }[name]
            }
            placeholder={own}
            min={0.1}
            max={86_400}
            isWhole={false}
            isNullable
          />
        ))}
        <NumberField
          path={`${times}.websocket_close_delay`}
          label="WebSockets survive a change (seconds)"
          placeholder="as the settings say"
          min={0}
          max={86_400}
          isWhole={false}
          isNullable
        />
      </div>
      <SwitchField
        path={`${tls}.verify`}
        label="Check certificates of upstreams"
        description="Turn off only for https upstreams whose certificate cannot be verified"
      />
      <div className="field-columns">
        <TextField path={`${tls}.server_name`} label="Name in their certificate" placeholder={own} isNullable isMono />
        <SelectField
          path={`${tls}.ca_id`}
          label="Authority that signed it"
          isNullable
          options={[{ value: '', label: 'The usual ones' }, ...authorities]}
        />
      </div>
    </>
  )
}
