; Fields of classes
(class_body (field_definition property: (_) @name) @field)
