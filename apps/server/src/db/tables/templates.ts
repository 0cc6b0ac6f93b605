import type { Generated } from 'kysely'

export interface TemplatesTables {
  gpu_templates: {
    id: string
    name: string
    description: string
    category: string
    docker_image: string
    features: Generated<string[]>
    popular: Generated<boolean>
    is_public: Generated<boolean>
    created_at: Generated<string>
  }
}
