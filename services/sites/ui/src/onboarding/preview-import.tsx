import { Button, Modal, Stack, Text } from '@mantine/core'
import { notifyProblem } from '@hearth/ui'
import { IconEye } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { ImportOutcome } from '../imports/import-outcome.tsx'
import { summary } from '../imports/import-words.ts'
import { sendImport } from '../imports/send-import.ts'

/** The server that is taken over first. */
const firstNode = 1

/** Shows what an import of what runs would come to, before anything is decided. */
export function PreviewImport() {
  const look = useMutation({
    mutationFn: () => sendImport({ kind: 'node', id: firstNode }, true),
    onError: notifyProblem,
  })
  return (
    <div>
      <Button
        variant="default"
        leftSection={<IconEye size={16} aria-hidden />}
        loading={look.isPending}
        onClick={() => look.mutate()}
      >
        Preview the import
      </Button>
      <Modal opened={look.data !== undefined} onClose={() => look.reset()} title="What would be imported" size="xl">
        {look.data !== undefined && (
          <Stack>
            <Text fw={600}>{summary(look.data)}</Text>
            <ImportOutcome answer={look.data} />
          </Stack>
        )}
      </Modal>
    </div>
  )
}
