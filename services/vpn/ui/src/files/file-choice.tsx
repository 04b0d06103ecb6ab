import { FileInput } from '@mantine/core'
import { IconFiles } from '@tabler/icons-react'

interface FileChoiceProps {
  label: string
  placeholder: string
  /** Endings, such as `.conf,.json`. */
  accept: string
  value: File[]
  onChange: (files: File[]) => void
}

/** The files of another program. */
export function FileChoice(props: FileChoiceProps) {
  return (
    <FileInput
      {...props}
      multiple
      clearable
      clearButtonProps={{ 'aria-label': 'Choose no file' }}
      leftSection={<IconFiles size={16} aria-hidden />}
    />
  )
}
