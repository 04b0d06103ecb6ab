import { FileButton, Group, Skeleton, Text } from '@mantine/core'
import { answer, describeError, formatBytes, Problem, useAction } from '@hearth/ui'
import { IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, asUpload, keys, type Logo } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { FactsLine } from '../jobs/job-facts.tsx'
import { Waiting } from '../progress/waiting.tsx'
import { logoOf } from './logo-file.ts'

const path = '/api/settings/watermark-logo'

/** The logo that is put on videos: shown, replaced and removed. */
export function LogoPart() {
  const logo = useQuery({ queryKey: keys.logo, queryFn: () => answer(api.GET(path)) })
  const upload = useAction<File, Logo>({
    run: async (file) => answer(api.POST(path, asUpload(await logoOf(file)))),
    done: () => 'The logo is stored. Videos get it from now on.',
    renew: [keys.logo],
    onProblem: () => undefined,
  })
  return (
    <div className="logo">
      <h3 className="small-heading">Logo</h3>
      {logo.data === undefined && logo.error === null && <Skeleton height={72} maw={420} />}
      {logo.data === undefined && logo.error !== null && <Problem text={describeError(logo.error)} />}
      {logo.data !== undefined && <Present logo={logo.data} />}
      <Problem text={upload.error === null ? undefined : describeError(upload.error)} />
      {upload.isPending && <Waiting label="Sending the logo" />}
      <Group gap="xs">
        <FileButton accept="image/png,image/svg+xml" onChange={(file) => file !== null && upload.mutate(file)}>
          {(button) => (
            <ActionButton {...button} icon={IconUpload} loading={upload.isPending}>
              {logo.data?.custom === true ? 'Replace' : 'Upload your own'}
            </ActionButton>
          )}
        </FileButton>
        {logo.data?.custom === true && (
          <DeleteButton
            title="Remove the logo?"
            losses={['Your logo; the one that comes with Hearth takes its place']}
            verb="Remove logo"
            action={{
              run: () => answer(api.DELETE(path)),
              done: () => 'The logo is removed',
              renew: [keys.logo],
            }}
          >
            Remove
          </DeleteButton>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        PNG with transparency, 32 to 4096 pixels a side, at most 2 MB; or SVG, which is turned into one here.
      </Text>
    </div>
  )
}

function Present({ logo }: { logo: Logo }) {
  if (!logo.custom)
    return (
      <Text size="sm" c="dimmed">
        The one that comes with Hearth.
      </Text>
    )
  return (
    <div className="logo-present">
      <span className="logo-picture">
        <img src={`${path}/image?is=${logo.fingerprint ?? ''}`} alt="Your logo" />
      </span>
      <FactsLine>
        {`${logo.width} × ${logo.height} pixels`}
        {formatBytes(logo.bytes ?? 0)}
      </FactsLine>
    </div>
  )
}
