import { Title } from '@mantine/core'
import { valueAt } from './draft.ts'
import { SelectField, TextField, useEditing } from './fields.tsx'
import { RowList } from './row-list.tsx'

const compressions = [
  { value: 'both', label: 'zstd and gzip' },
  { value: 'zstd', label: 'zstd' },
  { value: 'gzip', label: 'gzip' },
  { value: 'off', label: 'Off' },
] as const

const operations = [
  { value: 'set', label: 'Set' },
  { value: 'add', label: 'Add' },
  { value: 'delete', label: 'Remove' },
  { value: 'default', label: 'Set if missing' },
] as const

/** Compression, and headers on their way to and fro. */
export function HeaderSection() {
  return (
    <>
      <SelectField path="compression" label="Compression" options={compressions} />
      <HeaderRows prefix="" />
    </>
  )
}

/** Headers of requests and of answers; `prefix` is empty or `paths.0.`. */
export function HeaderRows({ prefix }: { prefix: string }) {
  return (
    <>
      <Title order={3}>Headers of requests</Title>
      <Rows path={`${prefix}request_headers`} noun="request header" />
      <Title order={3}>Headers of answers</Title>
      <Rows path={`${prefix}response_headers`} noun="response header" />
    </>
  )
}

function Rows({ path, noun }: { path: string; noun: string }) {
  return (
    <RowList
      path={path}
      noun={noun}
      addLabel={`Add a ${noun}`}
      blank={{ op: 'set', name: '', value: '' }}
      max={64}
      empty="They pass as they are."
      render={(row, place) => <HeaderRow path={row} name={`${noun} ${place + 1}`} />}
    />
  )
}

function HeaderRow({ path, name }: { path: string; name: string }) {
  const { draft } = useEditing()
  const isRemoved = valueAt(draft, `${path}.op`) === 'delete'
  return (
    <div className="field-columns" data-header>
      <SelectField path={`${path}.op`} label="Change" aria-label={`Change of ${name}`} options={operations} />
      <TextField path={`${path}.name`} label="Name" aria-label={`Name of ${name}`} placeholder="X-Robots-Tag" isMono />
      {!isRemoved && <TextField path={`${path}.value`} label="Value" aria-label={`Value of ${name}`} isMono />}
    </div>
  )
}
