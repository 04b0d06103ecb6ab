import { Text } from '@mantine/core'
import { valueAt } from './draft.ts'
import { blankUpstream } from './blank-draft.ts'
import { ListField, NumberField, SelectField, SwitchField, TextAreaField, TextField, useEditing } from './fields.tsx'
import { RowList } from './row-list.tsx'
import { StatusPageField } from './status-page-field.tsx'

/** Status codes of redirects, with what they mean. */
export const redirectCodes = [
  { value: 308, label: '308 – for good, the same method' },
  { value: 301, label: '301 – for good' },
  { value: 307, label: '307 – for now, the same method' },
  { value: 302, label: '302 – for now' },
] as const

/** Fields of the target, by the kind of a site or of a path; `prefix` is empty or `paths.0.`. */
export function TargetFields({ prefix, kind }: { prefix: string; kind: string }) {
  if (kind === 'proxy') return <ServerRows prefix={prefix} />
  if (kind === 'redirect') return <RedirectFields prefix={`${prefix}redirect.`} />
  if (kind === 'static') return <FileFields prefix={`${prefix}static.`} />
  if (kind === 'portal')
    return (
      <Text size="sm">Visitors of protected sites sign in here. Give it one domain, such as auth.example.com.</Text>
    )
  if (kind === 'status') return <StatusPageField />
  return kind === 'respond' ? <AnswerFields prefix={`${prefix}respond.`} /> : <DirectiveField />
}

function ServerRows({ prefix }: { prefix: string }) {
  const { draft } = useEditing()
  const isWeighted = valueAt(draft, `${prefix}lb.policy`) === 'weighted_round_robin'
  const rows = valueAt(draft, `${prefix}upstreams`)
  const isOnly = Array.isArray(rows) && rows.length < 2
  return (
    <RowList
      path={`${prefix}upstreams`}
      noun="upstream"
      addLabel="Add another upstream"
      blank={blankUpstream}
      max={64}
      least={1}
      render={(path, place) => (
        <>
          <TextField
            path={`${path}.url`}
            label={isOnly ? 'Upstream' : `Upstream ${place + 1}`}
            placeholder="http://192.168.1.20:8080"
            isMono
            {...(place === 0
              ? { description: 'Where Caddy sends the requests: http, https or h2c with host and port' }
              : {})}
          />
          {isWeighted && (
            <NumberField path={`${path}.weight`} label={`Weight of upstream ${place + 1}`} min={1} max={1000} />
          )}
        </>
      )}
    />
  )
}

function RedirectFields({ prefix }: { prefix: string }) {
  return (
    <>
      <TextField
        path={`${prefix}to`}
        label="Target"
        placeholder="https://www.example.org"
        isMono
        description="An http or https address, or a path that starts with /"
      />
      <div className="field-columns">
        <SelectField path={`${prefix}code`} label="Status" options={redirectCodes} />
        <SwitchField path={`${prefix}keep_path`} label="Append path and query of the request" />
      </div>
    </>
  )
}

function FileFields({ prefix }: { prefix: string }) {
  return (
    <>
      <TextField
        path={`${prefix}root`}
        label="Directory"
        placeholder="/srv/www/example"
        isMono
        description="On the machine of Caddy, below a directory the operator allows"
      />
      <div className="field-columns">
        <ListField path={`${prefix}index`} label="Index files" max={8} />
        <TextField
          path={`${prefix}fallback`}
          label="File for whatever is not there"
          placeholder="none; /index.html for an application of one page"
          isMono
          isNullable
        />
      </div>
      <SwitchField path={`${prefix}browse`} label="List directories without an index file" />
    </>
  )
}

function AnswerFields({ prefix }: { prefix: string }) {
  return (
    <>
      <div className="field-columns">
        <NumberField path={`${prefix}status`} label="Status" min={200} max={599} />
        <TextField path={`${prefix}content_type`} label="Content type" isMono />
      </div>
      <TextAreaField path={`${prefix}body`} label="Answer" isMono rows={3} />
    </>
  )
}

function DirectiveField() {
  return (
    <TextAreaField
      path="raw_directives"
      label="Directives"
      isMono
      rows={8}
      placeholder={'reverse_proxy 192.168.1.20:8080\nencode zstd gzip'}
      description="As they stand inside a site of a Caddyfile. Saving them asks you to confirm your identity."
    />
  )
}
