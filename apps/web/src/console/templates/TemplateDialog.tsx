import type { Template } from '@ingot/contracts/templates'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { PropertyList } from '../../ui/PropertyList.tsx'
import { deploySearch } from './template-search.ts'

interface TemplateDialogProps {
  /** Undefined: closed. */
  readonly template: Template | undefined
  readonly onClose: () => void
}

export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  return (
    <Dialog
      open={template !== undefined}
      onOpenChange={open => !open && onClose()}
      title={template?.name}
      description={template?.description}
      footer={
        template && (
          <Link to="/console/deploy" search={deploySearch(template)} className={buttonClass('primary')}>
            Deploy
          </Link>
        )
      }
    >
      {template && (
        <PropertyList
          properties={[
            { name: 'Category', value: template.category },
            { name: 'Contains', value: template.features.join(', ') },
            { name: 'Image', value: template.docker_image, copy: template.docker_image },
            { name: 'Id', value: template.id, copy: template.id },
          ]}
        />
      )}
    </Dialog>
  )
}
