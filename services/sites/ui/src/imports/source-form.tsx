import { Button, Checkbox, FileInput, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { Problem, Section } from '@hearth/ui'
import { IconEye, IconFile } from '@tabler/icons-react'
import { type SubmitEvent, useState } from 'react'
import type { ImportSource, SourceKind } from './import-source.ts'

const kinds: readonly { value: SourceKind; label: string; description: string }[] = [
  { value: 'caddyfile', label: 'A Caddyfile', description: 'Caddy itself reads it; nothing of its server is read' },
  {
    value: 'npm',
    label: 'Nginx Proxy Manager',
    description: 'Its database.sqlite, usually in the folder data; hosts, redirections and access lists',
  },
  {
    value: 'traefik',
    label: 'Traefik',
    description: 'A file of its dynamic configuration, YAML or TOML; labels of containers are not read',
  },
  {
    value: 'nginx',
    label: 'nginx',
    description: 'Its server blocks, also those of SWAG; files that they include are not read',
  },
  {
    value: 'zoraxy',
    label: 'Zoraxy',
    description: 'The files of its folders conf/proxy and conf/access, one after the other',
  },
  { value: 'config', label: 'Caddy’s JSON', description: 'What “curl localhost:2019/config/” prints' },
]

/** Form for the source of an import; previews it before anything is changed. */
export function SourceForm(props: {
  /** Earlier input, shown again. */
  initial: ImportSource | undefined
  isRawAllowed: boolean
  isBusy: boolean
  problem: string | undefined
  onLook: (source: ImportSource) => void
}) {
  const { initial, isRawAllowed, isBusy, problem, onLook } = props
  const [kind, setKind] = useState<SourceKind>(
    initial === undefined || initial.kind === 'node' ? 'caddyfile' : initial.kind,
  )
  const [text, setText] = useState(initial !== undefined && 'text' in initial ? initial.text : '')
  const [file, setFile] = useState<File | null>(initial?.kind === 'npm' ? initial.file : null)
  const [raw, setRaw] = useState(initial?.kind === 'caddyfile' && initial.raw)
  const [missing, setMissing] = useState<string>()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const source = sourceOf(kind, { text, file, raw })
    setMissing(source === undefined ? 'Required' : undefined)
    if (source !== undefined) onLook(source)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Section title="Where from?">
        <Stack>
          <Radio.Group
            aria-label="Where from?"
            value={kind}
            onChange={(value) => {
              setKind(value)
              setMissing(undefined)
            }}
          >
            <Stack gap="sm">
              {kinds.map((one) => (
                <Radio key={one.value} {...one} />
              ))}
            </Stack>
          </Radio.Group>
          {kind === 'npm' ? (
            <FileInput
              label="Database"
              description="At most 64 MiB. It is read here and not kept."
              placeholder="Choose database.sqlite"
              leftSection={<IconFile size={16} aria-hidden />}
              value={file}
              onChange={setFile}
              error={missing}
              clearable
              clearButtonProps={{ 'aria-label': 'Choose none' }}
            />
          ) : (
            <Textarea
              label={texts[kind].label}
              placeholder={texts[kind].sample}
              autosize
              minRows={8}
              maxRows={24}
              spellCheck={false}
              classNames={{ input: 'hearth-mono' }}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={missing}
            />
          )}
          {kind === 'caddyfile' && isRawAllowed && (
            <Checkbox
              label="Keep what the form cannot express as directives"
              description="Such sites can be edited as text only"
              checked={raw}
              onChange={(event) => setRaw(event.currentTarget.checked)}
            />
          )}
          <Problem text={problem} />
          <Group>
            <Button type="submit" loading={isBusy} leftSection={<IconEye size={16} aria-hidden />}>
              Preview the import
            </Button>
            <Text size="sm" c="dimmed">
              This changes nothing yet.
            </Text>
          </Group>
        </Stack>
      </Section>
    </form>
  )
}

/** Label and sample of the text of each source that is one. */
const texts: Readonly<Record<Exclude<SourceKind, 'npm'>, { label: string; sample: string }>> = {
  caddyfile: { label: 'Text of the Caddyfile', sample: 'shop.example.org {\n  reverse_proxy 10.0.0.5:8080\n}' },
  traefik: {
    label: 'Dynamic configuration',
    sample: 'http:\n  routers:\n    shop:\n      rule: Host(`shop.example.org`)\n      service: shop',
  },
  nginx: {
    label: 'Server blocks',
    sample: 'server {\n  server_name shop.example.org;\n  location / { proxy_pass http://10.0.0.5:8080; }\n}',
  },
  zoraxy: {
    label: 'Rules',
    sample: '{\n  "ProxyType": 1,\n  "RootOrMatchingDomain": "shop.example.org",\n  "ActiveOrigins": [ … ]\n}',
  },
  config: { label: 'Configuration', sample: '{ "apps": { "http": … } }' },
}

function sourceOf(
  kind: SourceKind,
  { text, file, raw }: { text: string; file: File | null; raw: boolean },
): ImportSource | undefined {
  if (kind === 'npm') return file === null ? undefined : { kind, file }
  if (text.trim() === '') return undefined
  return kind === 'caddyfile' ? { kind, text, raw } : { kind, text }
}
