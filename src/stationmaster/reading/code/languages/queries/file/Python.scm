; What is asked of every file
(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(decorated_definition definition: (_) @decorated) @decorators
(import_statement) @import
(import_from_statement) @from
(call function: [
  (identifier) @callee
  (attribute object: (_) @of attribute: (identifier) @callee)
]) @call
(module (expression_statement (assignment left: (identifier) @name) @top))
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name) @attribute))) @holder
(assignment left: (_) @variable right: (call function: (_) @maker) @made)
(assignment left: (_) @table right: (dictionary)) @tabled
(typed_parameter (identifier) @parameter type: (type) @type)
(type_alias_statement) @alias
(if_statement condition: (_) @condition consequence: (block) @types
  (#match? @condition "^(typing.)?TYPE_CHECKING$"))
(module (if_statement condition: (comparison_operator) @guard) @guarded
  (#match? @guard "__name__"))
(attribute object: (identifier) @conf attribute: (identifier) @setting
  (#eq? @conf "settings"))
(attribute object: (_) @router attribute: (identifier) @table (#eq? @table "urls"))
(subscript value: (_) @environ subscript: (_) @key (#match? @environ "(environ|[.]config)$"))
(comment) @comment
(list (dictionary) @tasked)
