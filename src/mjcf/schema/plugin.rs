//! `extension`: plugins, their instances, and what elements ask of them.

use crate::types::PluginKind;

elements! {
    /// `<plugin>` of `<extension>`: a plugin that the model needs.
    Extension {
        plugin: key<PluginKind> (required), "Plugin that the model needs.";
    }

    /// `<instance>`: an instance of a plugin, which elements use by its name.
    Instance {
        name: name (required), "Name.";
    } with {
        /// The plugin, that of the element around it.
        plugin: Option<PluginKind>,
        /// What is asked of it.
        config: Vec<Config>,
    }

    /// `<config>`: one thing that is asked of an instance.
    Config {
        key: text (required), "What is said, a word of the plugin's.";
        value: text (required), "Its value.";
    }

    /// `<plugin>` of an element, or a part of one: an instance that is declared, or one of its own.
    PluginUse {
        plugin: key<PluginKind>, "Plugin, for an instance of its own.";
        instance: ref<plugin>, "Instance that `<extension>` declares.";
    } with {
        /// What is asked of an instance of its own.
        config: Vec<Config>,
    }
}
