import type { Generated } from 'kysely'

/** How a machine starts. */
interface Start {
  docker_image: string
  command: string[] | null
  env: Generated<Record<string, string>>
  ports: Generated<number[]>
  registry_credentials: Buffer | null
  network: Generated<boolean>
}

export interface TemplatesTables {
  gpu_templates: Start & {
    id: string
    name: string
    description: string
    category: string
    owner: string | null
    features: Generated<string[]>
    popular: Generated<boolean>
    is_public: Generated<boolean>
    created_at: Generated<string>
  }
  instance_template: Start & { instance_id: string }
}
