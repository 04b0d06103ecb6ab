import { Button, Group, Stack } from '@mantine/core'
import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  PageHeader,
  RelativeTime,
  Section,
  tableAnswer,
} from '@hearth/ui'
import { IconApps, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { ApplicationDialog } from '../applications/application-dialog.tsx'
import { KeySection } from '../applications/key-section.tsx'
import { type Application, useApplications } from '../applications/read-applications.ts'
import { isHearthService, ServiceDialog } from '../applications/service-dialog.tsx'
import { SetUpDialog } from '../applications/set-up-dialog.tsx'
import { IconButton } from '../controls/icon-button.tsx'

type Dialog =
  | { kind: 'add' }
  | { kind: 'edit' | 'remove' | 'secret'; of: Application }
  | { kind: 'set-up'; of: Application; secret: string | null }

/** Applications that sign people in through the portal, by OpenID Connect. */
export function ApplicationsPage() {
  const applications = useApplications()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const list = applications.data
  const presets = list?.presets ?? []
  return (
    <>
      <PageHeader
        title="Applications"
        description="Applications that speak OpenID Connect sign people in through the portal, with its passkeys and groups."
        actions={
          <IconButton
            variant="filled"
            icon={IconPlus}
            disabled={list === undefined}
            onClick={() => setDialog({ kind: 'add' })}
          >
            Add application
          </IconButton>
        }
      />
      <Stack>
        <Section title="Applications">
          <DataTable
            label="Applications"
            columns={columns(setDialog)}
            rowKey={({ id }) => id}
            answer={tableAnswer(applications, list?.clients)}
            empty={
              <EmptyState icon={IconApps} title="No application yet">
                Add Grafana, Immich, Nextcloud or another one: you get the lines to type into it. Other Hearth services
                connect themselves, in their settings under Sign in with Hearth.
              </EmptyState>
            }
          />
        </Section>
        <KeySection />
      </Stack>
      {dialog?.kind === 'add' && (
        <ApplicationDialog
          presets={presets}
          onClose={close}
          onAdded={(added) => setDialog({ kind: 'set-up', of: added.client, secret: added.client_secret })}
        />
      )}
      {dialog?.kind === 'edit' &&
        (isHearthService(dialog.of) ? (
          <ServiceDialog of={dialog.of} onClose={close} />
        ) : (
          <ApplicationDialog presets={presets} of={dialog.of} onClose={close} />
        ))}
      {dialog?.kind === 'set-up' && list !== undefined && (
        <SetUpDialog
          application={dialog.of}
          secret={dialog.secret}
          list={list}
          onClose={close}
          onRenew={() => setDialog({ kind: 'secret', of: dialog.of })}
        />
      )}
      {dialog?.kind === 'secret' && (
        <NewSecret
          of={dialog.of}
          onClose={close}
          onMade={(secret) => setDialog({ kind: 'set-up', of: dialog.of, secret })}
        />
      )}
      {dialog?.kind === 'remove' && <RemoveApplication of={dialog.of} onClose={close} />}
    </>
  )
}

function nameOf(application: Application) {
  return (
    <>
      <b>{application.name}</b>
      {isHearthService(application) && <span className="hearth-dimmed"> Hearth service</span>}
    </>
  )
}

function columns(open: (dialog: Dialog) => void): Column<Application>[] {
  return [
    { key: 'name', header: 'Name', role: 'title', render: nameOf },
    { key: 'groups', header: 'For', render: ({ groups }) => groups.join(', ') || 'everybody' },
    {
      key: 'used',
      header: 'Last sign-in',
      render: ({ last_used_at: at, last_username: who }) => (
        <>
          <RelativeTime value={at} absent="never" />
          {who !== null && `, ${who}`}
        </>
      ),
    },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (of) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {(
            [
              ...(isHearthService(of) ? [] : [['Set up', { kind: 'set-up', of, secret: null }] as const]),
              ['Change', { kind: 'edit', of }],
              ['Delete', { kind: 'remove', of }],
            ] as const
          ).map(([label, dialog]) => (
            <Button
              key={label}
              variant="default"
              size="xs"
              aria-label={`${label}: ${of.name}`}
              onClick={() => open(dialog)}
            >
              {label}
            </Button>
          ))}
        </Group>
      ),
    },
  ]
}

interface AskProps {
  readonly of: Application
  readonly onClose: () => void
}

function NewSecret({ of, onClose, onMade }: AskProps & { onMade: (secret: string | null) => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`New secret for ${of.name}?`}
      verb="Make new secret"
      losses={['The secret it has now: nobody signs in to it until you type in the new one']}
      action={{
        run: () => answer(api.POST('/api/v1/openid/clients/{id}/secret', { params: { path: { id: of.id } } })),
        onDone: (made) => onMade(made.client_secret),
        done: () => `${of.name} has a new secret`,
        renew: [keys.applications],
      }}
    />
  )
}

function RemoveApplication({ of, onClose }: AskProps) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${of.name}?`}
      verb="Delete application"
      losses={['Signing in to it through the portal, at once', 'Its client id and secret']}
      action={{
        run: () => answer(api.DELETE('/api/v1/openid/clients/{id}', { params: { path: { id: of.id } } })),
        done: () => `${of.name} is deleted`,
        renew: [keys.applications],
      }}
    />
  )
}
