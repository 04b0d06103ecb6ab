import { Button, Checkbox, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { answer, describeError, Problem, saveFile, useAction } from '@hearth/ui'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../api.ts'

/** Characters of a passphrase, at least. */
const minPassphrase = 12

/** Hands out the wanted state, with secrets when there is a passphrase for them. */
export function ExportFile() {
  const [withSecrets, setWithSecrets] = useState(false)
  const [passphrase, setPassphrase] = useState('')
  const [problem, setProblem] = useState<string>()
  const download = useAction({
    run: () =>
      withSecrets
        ? answer(api.POST('/api/export', { body: { passphrase }, parseAs: 'text' }))
        : answer(api.GET('/api/export', { parseAs: 'text' })),
    onDone(text) {
      setProblem(undefined)
      saveFile('hearth-vpn.yaml', text, 'application/yaml')
    },
    onProblem: (error) => setProblem(describeError(error)),
  })
  return (
    <Stack>
      <Problem text={problem} />
      <Text size="sm">
        The same state gives the same text, line by line. It has no counters, accounts, tokens or notifications, and no
        private keys unless you ask for them.
      </Text>
      <Checkbox
        label="With private keys, encrypted"
        description="So that a new server can take over without a change on any device"
        checked={withSecrets}
        onChange={(event) => setWithSecrets(event.currentTarget.checked)}
      />
      {withSecrets && (
        <PasswordInput
          label="Passphrase"
          description={`At least ${minPassphrase} characters. Without it nobody can read the keys again, you neither.`}
          autoComplete="new-password"
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
      )}
      <Group>
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={withSecrets && passphrase.length < minPassphrase}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Download
        </Button>
      </Group>
    </Stack>
  )
}
