import { Button, Group, Text } from '@mantine/core'
import { answer, describeError, notifyDone, PageHeader, Problem } from '@hearth/ui'
import { IconArrowLeft, IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { api, type ImportAnswer, keys } from '../api.ts'
import { ImportOutcome } from '../imports/import-outcome.tsx'
import type { ImportSource } from '../imports/import-source.ts'
import { summary } from '../imports/import-words.ts'
import { sendImport } from '../imports/send-import.ts'
import { SourceForm } from '../imports/source-form.tsx'

/** Sites from elsewhere: what would become of them is seen before anything is changed. */
export function ImportPage() {
  const [source, setSource] = useState<ImportSource>()
  const settings = useQuery({ queryKey: keys.settings, queryFn: () => answer(api.GET('/api/v1/settings')) })
  const look = useMutation({ mutationFn: (given: ImportSource) => sendImport(given, true) })
  const isSeen = source !== undefined && look.data !== undefined
  return (
    <>
      <PageHeader
        title="Import sites"
        description="From another Caddy, Nginx Proxy Manager, Traefik, nginx or Zoraxy. Sites that are here already stay as they are."
      />
      <div className="hearth-stack" data-narrow={!isSeen || undefined}>
        {isSeen ? (
          <Seen source={source} found={look.data} onBack={() => look.reset()} />
        ) : (
          <SourceForm
            initial={source}
            isRawAllowed={settings.data?.allow_raw === true}
            isBusy={look.isPending}
            problem={look.error === null ? undefined : describeImport(look.error)}
            onLook={(given) => {
              setSource(given)
              look.mutate(given)
            }}
          />
        )}
      </div>
    </>
  )
}

/** The preview of an import, and then its result. */
function Seen({ source, found, onBack }: { source: ImportSource; found: ImportAnswer; onBack: () => void }) {
  const cache = useQueryClient()
  const run = useMutation({
    mutationFn: () => sendImport(source, false),
    onSuccess: (done) => {
      for (const queryKey of [keys.sites, keys.revisions, keys.certificates, keys.status])
        void cache.invalidateQueries({ queryKey })
      notifyDone(summary(done))
    },
  })
  const shown = run.data ?? found
  return (
    <>
      <Text fw={600} aria-live="polite">
        {summary(shown)}
      </Text>
      <Problem text={run.error === null ? undefined : describeImport(run.error)} />
      <Group>
        {run.data === undefined && found.counts.new > 0 && (
          <IconButton variant="filled" icon={IconDownload} loading={run.isPending} onClick={() => run.mutate()}>
            Import {found.counts.new} {found.counts.new === 1 ? 'site' : 'sites'}
          </IconButton>
        )}
        {run.data !== undefined && (
          <Button component={Link} href="/sites">
            See the sites
          </Button>
        )}
        <IconButton icon={IconArrowLeft} disabled={run.isPending} onClick={onBack}>
          {run.data === undefined ? 'Back' : 'Import something else'}
        </IconButton>
      </Group>
      <ImportOutcome answer={shown} />
    </>
  )
}

function describeImport(error: unknown): string {
  return error instanceof SyntaxError ? `This is no JSON: ${error.message}` : describeError(error)
}
