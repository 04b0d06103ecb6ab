import { Alert, Button, Code, Modal, Stack, Text } from '@mantine/core'
import { CopyButton } from '@hearth/ui'
import { linesFor, originOf } from './application-form.ts'
import type { Application, ApplicationList } from './read-applications.ts'

interface SetUpDialogProps {
  readonly application: Application
  /** Shown this once; null when it is not known any more, or there is none. */
  readonly secret: string | null
  readonly list: ApplicationList
  readonly onClose: () => void
  /** Makes a new secret. */
  readonly onRenew: () => void
}

/** The lines to type into an application, with its values in place. */
export function SetUpDialog({ application, secret, list, onClose, onRenew }: SetUpDialogProps) {
  const preset = list.presets.find(({ id }) => id === application.preset) ?? list.presets.at(-1)
  const hidden = application.is_public ? '(none)' : '(shown once, when it was made)'
  const text =
    preset === undefined
      ? ''
      : linesFor(preset, {
          issuer: list.issuer ?? 'https://(your portal)',
          client_id: application.id,
          client_secret: secret ?? hidden,
          address: originOf(application.redirect_uris[0] ?? ''),
        })
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Set up ${application.name}`}
      closeOnClickOutside={secret === null}
    >
      <Stack>
        {list.issuer === null && (
          <Alert color="yellow" title="There is no portal yet">
            Add a site of the kind Portal: its address is the issuer.
          </Alert>
        )}
        <Secret secret={secret} isPublic={application.is_public} onRenew={onRenew} />
        <Text>{preset?.where}:</Text>
        <Code block aria-label="Lines for the application" tabIndex={0}>
          {text}
        </Code>
        <CopyButton text={text} variant="filled">
          Copy lines
        </CopyButton>
        <Text size="sm" c="dimmed">
          When people reach the portal at another port than 443, add the port to its address in these lines.
        </Text>
      </Stack>
    </Modal>
  )
}

function Secret({ secret, isPublic, onRenew }: Pick<SetUpDialogProps, 'secret' | 'onRenew'> & { isPublic: boolean }) {
  if (secret === null)
    return (
      <>
        <Text>
          {isPublic
            ? 'This is a public client: it has no secret.'
            : 'The client secret was shown once, when it was made.'}
        </Text>
        <Button variant="default" onClick={onRenew}>
          Make a new secret
        </Button>
      </>
    )
  return (
    <>
      <Text>Copy the client secret now. It is shown only once.</Text>
      <Code block className="hearth-secret" aria-label="Client secret">
        {secret}
      </Code>
      <CopyButton text={secret}>Copy secret</CopyButton>
    </>
  )
}
